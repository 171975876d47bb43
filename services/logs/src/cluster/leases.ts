import { randomUUID } from 'node:crypto'
import { childAbortController } from '@trellis/kit/lifecycle'
import type { Kysely } from 'kysely'
import { clearLeases, endLease, findLease, keepLease, type LeaseTables, renewLease, takeLease } from './lease-store.ts'

/**
 * A task that one at a time has, among all replicas, until it is disposed of. It spares work; nothing may be right because of it alone, for
 * clocks differ and a process may be paused.
 */
export type HeldLease = AsyncDisposable & {
  /** Aborted when another has taken the task over or may have, and with the signal that it was taken with. */
  readonly signal: AbortSignal
}

export type Leases = {
  /** Takes a task and renews it until it is disposed of; undefined while somebody has it, this replica included. */
  take: (name: string, signal: AbortSignal) => Promise<HeldLease | undefined>
  /** Takes or keeps a task under a name of one's own, for so many milliseconds and no longer; false while another has it. */
  keep: (name: string, owner: string, milliseconds: number) => Promise<boolean>
  isHeld: (name: string) => Promise<boolean>
  /** Frees all tasks. Only for who is alone on the store and has just started: what it held before it was killed is nobody's. */
  clear: () => Promise<void>
}

export type LeasesOptions = {
  db: Kysely<LeaseTables>
  now: () => number
  /** Who says nothing for so long has lost its task; it is renewed three times as often. */
  milliseconds?: number
}

export const leaseMilliseconds = 30_000
const renewalsPerLease = 3

/** Tasks as rows that replicas share: all that one replica at a time does stands on these. */
export const createLeases = ({ db, now, milliseconds = leaseMilliseconds }: LeasesOptions): Leases => {
  const hold = (name: string, owner: string, signal: AbortSignal): HeldLease => {
    const held = childAbortController(signal)
    let failures = 0
    const lose = (cause?: unknown) => held.abort(new Error(`The task "${name}" is another replica's now.`, { cause }))
    const renew = async () => {
      try {
        if (!(await renewLease(db, { name, owner, ends_at: now() + milliseconds }))) lose()
        failures = 0
      } catch (error) {
        // A store that is away for a moment is asked again, as long as nobody can have taken the task.
        if (++failures >= renewalsPerLease) lose(error)
      }
    }
    const renewing = setInterval(() => void renew(), milliseconds / renewalsPerLease)
    renewing.unref()
    return {
      signal: held.signal,
      [Symbol.asyncDispose]: async () => {
        clearInterval(renewing)
        held[Symbol.dispose]()
        // What is not given back ends by itself.
        await endLease(db, { name, owner }).catch(() => undefined)
      },
    }
  }
  return {
    take: async (name, signal) => {
      const owner = randomUUID()
      const moment = now()
      const taken = await takeLease(db, { name, owner, ends_at: moment + milliseconds }, moment)
      return taken?.owner === owner ? hold(name, owner, signal) : undefined
    },
    keep: async (name, owner, kept) => {
      const moment = now()
      return (await keepLease(db, { name, owner, ends_at: moment + kept }, moment))?.owner === owner
    },
    isHeld: async (name) => ((await findLease(db, name))?.ends_at ?? 0) > now(),
    clear: async () => {
      await clearLeases(db)
    },
  }
}
