import { messageOf } from '@trellis/kit/errors'
import type { Log } from '@trellis/kit/telemetry'

/** Logs when branches stop and resume answering, each change once. */
export type BranchAbsences = {
  answered: (slug: string) => void
  failed: (slug: string, error: unknown) => void
  /** The branch has not started yet: the next failures are those of a new one. */
  notReady: (slug: string) => void
}

/** How long a branch that became ready may be unreachable: DNS names and routes of a cluster reach some nodes later. */
const startMilliseconds = 30_000

export const createBranchAbsences = (log: Pick<Log, 'info' | 'warn'>): BranchAbsences => {
  const known = new Set<string>()
  const away = new Set<string>()
  /** The time of the first failure of branches that have not responded since they became ready. */
  const starting = new Map<string, number>()
  const isStarting = (slug: string, error: unknown): boolean => {
    if (known.has(slug)) return false
    const since = starting.get(slug)
    if (since === undefined) {
      starting.set(slug, performance.now())
      log.info({ branch: slug, reason: messageOf(error) }, 'a new branch cannot be reached yet and is left out')
    }
    return since === undefined || performance.now() - since < startMilliseconds
  }
  return {
    answered: (slug) => {
      known.add(slug)
      starting.delete(slug)
      if (away.delete(slug)) log.info({ branch: slug }, 'a branch responds again')
    },
    failed: (slug, error) => {
      if (isStarting(slug, error)) return
      if (!away.has(slug)) log.warn({ branch: slug, err: error }, 'a branch does not respond and is left out')
      away.add(slug)
    },
    notReady: (slug) => {
      known.delete(slug)
      starting.delete(slug)
    },
  }
}
