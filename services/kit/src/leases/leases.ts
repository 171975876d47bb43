import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { childAbortController } from '../lifecycle/mod.ts'
import {
  clearLeases,
  endLease,
  findLease,
  keepLease,
  type LeaseTable,
  renewLease,
  replaceLease,
  takeLease,
} from './lease-store.ts'

/**
 * A task that one replica at a time has, until it is disposed of. A lease avoids duplicate work; correctness must not depend on it, since clocks
 * differ and a process may be paused.
 */
export type HeldLease = AsyncDisposable & {
  /** Aborts when another replica has or may have taken the lease, and with the signal that it was taken with. */
  readonly signal: AbortSignal
}

export type Leases = {
  /** Takes a lease and renews it until it is disposed of; undefined while any replica holds it, this one included. */
  take: (name: string, signal: AbortSignal) => Promise<HeldLease | undefined>
  /** Takes or extends a lease for so many milliseconds, without renewal; false while another owner holds it. */
  keep: (name: string, owner: string, milliseconds: number) => Promise<boolean>
  isHeld: (name: string) => Promise<boolean>
  /** Frees all leases: for the only process of a store when it starts, since those that remain are of an earlier process. */
  clear: () => Promise<void>
}

export type LeasesOptions = {
  db: Kysely<Record<string, LeaseTable>>
  /** The table of leases in this store. */
  table: string
  now: () => number
  /** A lease expires after this time; it is renewed three times as often. */
  milliseconds?: number
  /** Milliseconds of a monotonic clock. */
  elapsed?: () => number
}

export const leaseMilliseconds = 30_000
const renewalsPerLease = 3

/**
 * Leases of others as this process has observed them. A holder that died with its clock ahead leaves a lease that ends only when this clock has
 * caught up; one that is not renewed for its duration has no holder, whatever its end.
 */
const createObservations = (elapsed: () => number) => {
  const observed = new Map<string, { lease: LeaseTable; since: number }>()
  return {
    isAbandoned: (lease: LeaseTable, milliseconds: number): boolean => {
      const before = observed.get(lease.name)
      const isUnchanged = before?.lease.owner === lease.owner && before.lease.ends_at === lease.ends_at
      if (!isUnchanged) observed.set(lease.name, { lease, since: elapsed() })
      return isUnchanged && elapsed() - before.since >= milliseconds
    },
    delete: (name: string) => void observed.delete(name),
  }
}

/** Leases as rows that replicas share. */
export const createLeases = ({
  db,
  table,
  now,
  milliseconds = leaseMilliseconds,
  elapsed = () => performance.now(),
}: LeasesOptions): Leases => {
  const rows = { db, table }
  const observations = createObservations(elapsed)
  /** Takes a lease that another owner holds, if it is abandoned; whether that succeeded. */
  const takeAbandoned = async (lease: LeaseTable, duration: number): Promise<boolean> => {
    const current = await findLease(rows, lease.name)
    if (!current || !observations.isAbandoned(current, duration)) return false
    observations.delete(lease.name)
    return (await replaceLease(rows, lease, current)) !== undefined
  }
  const hold = (name: string, owner: string, signal: AbortSignal): HeldLease => {
    const held = childAbortController(signal)
    let failures = 0
    const lose = (cause?: unknown) => held.abort(new Error(`Another replica has taken the lease "${name}".`, { cause }))
    const renew = async () => {
      try {
        if (!(await renewLease(rows, { name, owner, ends_at: now() + milliseconds }))) lose()
        failures = 0
      } catch (error) {
        // The store may be away for a moment: renewal is retried until the lease could have expired.
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
        // A lease that cannot be ended expires.
        await endLease(rows, { name, owner }).catch(() => undefined)
      },
    }
  }
  return {
    take: async (name, signal) => {
      const owner = randomUUID()
      const moment = now()
      const lease = { name, owner, ends_at: moment + milliseconds }
      const taken = await takeLease(rows, lease, moment)
      if (taken?.owner !== owner && !(await takeAbandoned(lease, milliseconds))) return undefined
      observations.delete(name)
      return hold(name, owner, signal)
    },
    keep: async (name, owner, duration) => {
      const moment = now()
      const lease = { name, owner, ends_at: moment + duration }
      const kept = await keepLease(rows, lease, moment)
      if (kept?.owner !== owner) return takeAbandoned(lease, duration)
      observations.delete(name)
      return true
    },
    isHeld: async (name) => ((await findLease(rows, name))?.ends_at ?? 0) > now(),
    clear: async () => {
      await clearLeases(rows)
    },
  }
}
