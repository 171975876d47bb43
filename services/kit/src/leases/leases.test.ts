import { once } from 'node:events'
import { openStore } from '@trellis/kit/store'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { waitFor } from '@trellis/test/support/wait-for'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LeaseTable, leaseTable } from './lease-store.ts'
import { createLeases } from './leases.ts'

const schema = { name: 'leases', migrations: [{ number: 1, name: 'leases', ...leaseTable('leases') }] }

const forever = () => new AbortController().signal
const patiently = { timeout: 120_000, interval: 20 }

describe.each(databases)('leases on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('as rows', () => {
    let database: RunningDatabase
    beforeAll(async () => {
      database = await start()
    })
    afterAll(() => database?.[Symbol.asyncDispose]())

    /** Two replicas with a clock of the test's own, and leases that are renewed every ten milliseconds. */
    const openTwo = async () => {
      await using opened = new AsyncDisposableStack()
      const { location } = opened.use(await database.place(schema))
      const clock = { now: 1_772_000_000_000, elapsed: 0 }
      const open = async () => {
        const store = opened.use(await openStore<Record<string, LeaseTable>>({ ...location, ...schema }))
        const options = { now: () => clock.now, milliseconds: 30, elapsed: () => clock.elapsed }
        return { store, ...createLeases({ db: store.db, table: 'leases', ...options }) }
      }
      const [one, other] = [await open(), await open()]
      const stack = opened.move()
      return { one, other, clock, [Symbol.asyncDispose]: () => stack.disposeAsync() }
    }

    test('a lease is held once, this replica included, until it is released', async () => {
      await using both = await openTwo()
      const held = await both.one.take('watch', forever())
      expect(held).toBeDefined()
      expect(await both.one.take('watch', forever())).toBeUndefined()
      expect(await both.other.take('watch', forever())).toBeUndefined()
      expect(await both.other.isHeld('watch')).toBe(true)
      await using _another = await both.other.take('glean', forever())
      expect(_another).toBeDefined()
      await held?.[Symbol.asyncDispose]()
      expect(await both.other.isHeld('watch')).toBe(false)
      await using next = await both.other.take('watch', forever())
      expect(next?.signal.aborted).toBe(false)
    })

    test('one of many concurrent takers gets the lease', async () => {
      await using both = await openTwo()
      const taken = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 ? both.one : both.other).take('merge', forever())),
      )
      const held = taken.filter((lease) => lease !== undefined)
      expect(held).toHaveLength(1)
      await held[0]?.[Symbol.asyncDispose]()
    })

    test('who lives keeps its task, and who died loses it', async () => {
      await using both = await openTwo()
      const held = await both.one.take('watch', forever())
      both.clock.now += 20
      // It is renewed by now: what would have been its end is no more.
      await waitFor(async () => {
        const [row] = await both.one.store.db.selectFrom('leases').selectAll().execute()
        expect(row?.ends_at).toBe(both.clock.now + 30)
      }, patiently)
      expect(await both.other.take('watch', forever())).toBeUndefined()
      // As if it had been paused past its end.
      both.clock.now += 1_000
      const lost = held && once(held.signal, 'abort')
      await using next = await waitFor(async () => {
        both.clock.now += 1_000
        const taken = await both.other.take('watch', forever())
        expect(taken).toBeDefined()
        return taken
      }, patiently)
      await lost
      expect(held?.signal.reason).toMatchObject({ message: 'Another replica has taken the lease "watch".' })
      // Ending a lost lease leaves the new holder's untouched.
      await held?.[Symbol.asyncDispose]()
      expect(await both.one.isHeld('watch')).toBe(true)
      expect(next?.signal.aborted).toBe(false)
    })

    test('a lease whose holder died with its clock an hour ahead is taken once its duration has passed', async () => {
      await using both = await openTwo()
      const { clock, one, other } = both
      clock.now += 3_600_000
      await one.take('watch', forever())
      await one.keep('merge', 'one', 60)
      await one.store.close()
      clock.now -= 3_600_000
      expect(await other.take('watch', forever())).toBeUndefined()
      expect(await other.keep('merge', 'other', 60)).toBe(false)
      clock.elapsed += 29
      expect(await other.take('watch', forever())).toBeUndefined()
      clock.elapsed += 1
      await using taken = await other.take('watch', forever())
      expect(taken).toBeDefined()
      expect(await other.keep('merge', 'other', 60)).toBe(false)
      clock.elapsed += 30
      expect(await other.keep('merge', 'other', 60)).toBe(true)
    })

    test('a holder with its clock an hour ahead that renews its lease is not replaced', async () => {
      await using both = await openTwo()
      const { clock, one, other } = both
      clock.now += 3_600_000
      expect(await one.keep('merge', 'one', 60)).toBe(true)
      for (let renewal = 0; renewal < 5; renewal++) {
        clock.now -= 3_600_000
        expect(await other.keep('merge', 'other', 60)).toBe(false)
        clock.now += 3_600_020
        clock.elapsed += 20
        expect(await one.keep('merge', 'one', 60)).toBe(true)
      }
    })

    test('who cannot reach the store for as long as a lease takes stops', async () => {
      await using both = await openTwo()
      const held = await both.one.take('watch', forever())
      await both.one.store.close()
      if (!held?.signal.aborted) await once(held?.signal ?? forever(), 'abort')
      expect(held?.signal.aborted).toBe(true)
      await held?.[Symbol.asyncDispose]()
    })

    test('a task ends with the signal that it was taken with, and a service that starts alone frees all', async () => {
      await using both = await openTwo()
      const ending = new AbortController()
      await using held = await both.one.take('watch', ending.signal)
      ending.abort(new Error('The service is ending.'))
      expect(held?.signal.aborted).toBe(true)
      expect(await both.one.keep('merge', 'one', 60_000)).toBe(true)
      expect(await both.other.keep('merge', 'other', 60_000)).toBe(false)
      await both.other.clear()
      expect(await both.other.keep('merge', 'other', 60_000)).toBe(true)
    })
  })
})
