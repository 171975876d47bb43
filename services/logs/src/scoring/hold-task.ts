import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { endTask, noteTask, takeTask } from './scorer-store.ts'
import type { ScoringTables } from './tables.ts'

/** A task that one replica at a time does, held for as long as its holder gives signs of life. */
export type HeldTask = {
  /** Aborted when the task was lost to another, who took its holder for dead. */
  signal: AbortSignal
  /** Says something of it while it is held. */
  note: (text: string) => Promise<void>
  release: (outcome?: string) => Promise<void>
}

const heldMilliseconds = 60_000
const renewMilliseconds = 15_000

/** undefined while another has it. */
export const holdTask = async (
  db: Kysely<ScoringTables>,
  name: string,
  now: () => number,
): Promise<HeldTask | undefined> => {
  const owner = randomUUID()
  const take = () => takeTask(db, { name, owner, endsAt: now() + heldMilliseconds, now: now() })
  if (!(await take())) return undefined
  const lost = new AbortController()
  let failures = 0
  const renew = async () => {
    try {
      if (!(await take())) lost.abort(new Error(`The task ${name} was taken over.`))
      failures = 0
    } catch (error) {
      // A store that is away for a moment is asked again, as long as nobody can have taken the task.
      if (++failures * renewMilliseconds >= heldMilliseconds) lost.abort(error)
    }
  }
  const renewing = setInterval(() => void renew(), renewMilliseconds)
  renewing.unref()
  return {
    signal: lost.signal,
    note: async (text) => {
      await noteTask(db, { name, owner, outcome: text })
    },
    release: async (outcome) => {
      clearInterval(renewing)
      await endTask(db, { name, owner, outcome })
    },
  }
}
