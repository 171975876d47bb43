import { randomUUID } from 'node:crypto'
import { linkedAbort } from '@trellis/kit/lifecycle'
import type { Kysely } from 'kysely'
import type { SharedCatalogueTables } from '../cluster/shared-catalogue-tables.ts'

type Db = Kysely<Pick<SharedCatalogueTables, 'log_leases'>>
type Lease = SharedCatalogueTables['log_leases']

/** A task that one at a time has, among all replicas. It spares work; nothing may be right because of it alone, for clocks differ. */
export type HeldLease = AsyncDisposable & {
  /** Aborted when the lease was lost, or the signal that it was taken with. */
  readonly signal: AbortSignal
}

export type Leases = {
  /** Takes a task, and keeps it until it is disposed of; undefined while somebody has it. */
  take: (name: string, signal: AbortSignal) => Promise<HeldLease | undefined>
  /** Frees all tasks whose name begins so. Only for who is alone on the store and has just started. */
  clear: (prefix: string) => Promise<void>
}

/** Who says nothing for so long has lost its task; it is renewed three times as often. */
const leaseMilliseconds = 30_000
const renewMilliseconds = 10_000

const takeLease = (db: Db, lease: Lease, now: number) =>
  db
    .insertInto('log_leases')
    .values(lease)
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ owner: lease.owner, ends_at: lease.ends_at })
        .where('log_leases.ends_at', '<', now),
    )
    .returning('owner')
    .executeTakeFirst()

const renewLease = (db: Db, { name, owner, ends_at }: Lease) =>
  db
    .updateTable('log_leases')
    .set({ ends_at })
    .where('name', '=', name)
    .where('owner', '=', owner)
    .returning('owner')
    .executeTakeFirst()

const dropLease = (db: Db, { name, owner }: Pick<Lease, 'name' | 'owner'>) =>
  db.deleteFrom('log_leases').where('name', '=', name).where('owner', '=', owner).execute()

const dropLeases = (db: Db, prefix: string) =>
  db.deleteFrom('log_leases').where('name', '>=', prefix).where('name', '<', `${prefix}\u{10ffff}`).execute()

export const createLeases = ({ db, now }: { db: Db; now: () => number }): Leases => ({
  take: async (name, signal) => {
    const owner = randomUUID()
    const endsAt = () => now() + leaseMilliseconds
    const taken = await takeLease(db, { name, owner, ends_at: endsAt() }, now())
    if (taken?.owner !== owner) return undefined
    const held = linkedAbort(signal)
    const renew = async () => {
      // A store that is away for a moment is asked again by the next round.
      const renewed = await renewLease(db, { name, owner, ends_at: endsAt() }).catch(() => ({ owner }))
      if (!renewed) held.abort(new Error(`Another replica has taken over "${name}".`))
    }
    const renewing = setInterval(() => void renew(), renewMilliseconds)
    renewing.unref()
    return {
      signal: held.signal,
      [Symbol.asyncDispose]: async () => {
        clearInterval(renewing)
        held[Symbol.dispose]()
        // What is not given back ends by itself.
        await dropLease(db, { name, owner }).catch(() => undefined)
      },
    }
  },
  clear: async (prefix) => {
    await dropLeases(db, prefix)
  },
})
