import { openStore } from '@trellis/kit/store'
import { waitFor } from '@trellis/test/support/wait-for'
import { expect, test } from 'vitest'
import { logsMigrations } from '../schemas.ts'
import { type AmendmentTables, readAmendments } from '../segments/amendment-store.ts'
import { unlimitedRetention } from '../segments/retention.ts'
import { batchOf } from '../segments/store-for-tests.ts'
import { segmentsPerTier } from './choose-tier.ts'
import { numbered } from './numbered-lines-for-tests.ts'
import { createKeyValue, type Replica, type ReplicaOptions } from './replicas-for-tests.ts'
import type { SharedCatalogue } from './shared-catalogue.ts'

const day = 86_400_000
const start = 1_700_000_000_000
const expiry = { retention: { ...unlimitedRetention, days: 1 }, now: start + 3 * day, isThorough: false }
const one = { text: 'a line', sequence: 1, entryId: 'one' }
const young = { text: 'stays', sequence: 2, entryId: 'young' }

/** Replicas, one of them with a catalogue that calls `before` once with the name of the operation. */
const openHooked = async (before: (name: 'merge' | 'override', hooked: Replica) => Promise<void>) => {
  await using stack = new AsyncDisposableStack()
  const dependencies = stack.use(await createKeyValue())
  const other = stack.use(await dependencies.open())
  let isArmed = false
  const hook = async (name: 'merge' | 'override') => {
    if (!isArmed) return
    isArmed = false
    await before(name, other)
  }
  const catalogue: SharedCatalogue = {
    ...other.catalogue,
    merge: async (change) => {
      await hook('merge')
      return other.catalogue.merge(change)
    },
    override: async (...parameters) => {
      await hook('override')
      return other.catalogue.override(...parameters)
    },
  }
  const replica = stack.use(await dependencies.open({ catalogue } satisfies ReplicaOptions))
  const store = await openStore<AmendmentTables>({
    ...dependencies.shared.store,
    name: 'logs',
    migrations: logsMigrations,
  })
  stack.defer(() => store.close())
  const moved = stack.move()
  return {
    engine: replica.engine,
    other,
    problems: () => [...replica.problems, ...other.problems],
    overrides: async () => (await readAmendments(store.db)).overrides,
    arm: () => {
      isArmed = true
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}
const severitiesIn = async (engine: Replica['engine']) => {
  const request = { query: null, filters: {}, limit: 100, order: 'oldest', withFacets: false } as const
  return Object.fromEntries(
    (await engine.search(request)).entries.map(({ entry }) => [entry.entryId, entry.severity] as const),
  )
}

test('a severity override expires with its entry on all replicas', async () => {
  await using dependencies = await openHooked(async () => undefined)
  const { engine, other } = dependencies
  await engine.ingest(batchOf([one], start))
  await engine.ingest(batchOf([young], start + 3 * day))
  await engine.setSeverity('one', 'CRITICAL')
  await engine.setSeverity('young', 'WARN')
  expect(await severitiesIn(other.engine)).toEqual({ one: 'CRITICAL', young: 'WARN' })
  await engine.maintain(expiry)
  expect((await dependencies.overrides()).map(({ severity }) => severity)).toEqual([3])
  await engine.ingest(batchOf([one], start + 3 * day))
  for (const replica of [engine, other.engine])
    expect(await severitiesIn(replica)).toEqual({ one: null, young: 'WARN' })
})

test.each([
  ['its segment', false],
  ['a part of its segment', true],
])('a severity for an entry that expires with %s before the write finds no entry', async (_, isPart) => {
  await using dependencies = await openHooked(async (_name, other) => void (await other.engine.maintain(expiry)))
  const { engine } = dependencies
  await engine.ingest(batchOf([one], start))
  if (isPart) {
    await engine.ingest(batchOf([young], start + 3 * day))
    await engine.maintain({ ...expiry, retention: unlimitedRetention, isThorough: true })
  }
  dependencies.arm()
  expect(await engine.setSeverity('one', 'CRITICAL')).toBeUndefined()
  expect(await dependencies.overrides()).toEqual([])
  await engine.ingest(batchOf([one], start + 3 * day))
  expect(await severitiesIn(engine)).toMatchObject({ one: null })
  expect(dependencies.problems()).toEqual([])
})

test('a severity that is set while its entry expires is deleted with it', async () => {
  await using dependencies = await openHooked(async (_name, other) => {
    expect(await other.engine.setSeverity('one', 'CRITICAL')).toMatchObject({ severity: 'CRITICAL' })
  })
  const { engine } = dependencies
  await engine.ingest(batchOf([one], start))
  dependencies.arm()
  await engine.maintain(expiry)
  expect(await severitiesIn(engine)).toEqual({})
  expect(await dependencies.overrides()).toEqual([])
  await engine.ingest(batchOf([one], start + 3 * day))
  expect(await severitiesIn(engine)).toEqual({ one: null })
})

test('retention finds expired entries in segments that another replica merged meanwhile', async () => {
  const segments = async ({ catalogue }: Replica) => (await catalogue.changes(undefined))?.added.length
  await using dependencies = await openHooked(async (_name, other) => {
    await other.engine.ingest(batchOf(numbered(5, 1_000), start + 3 * day))
    // Enough segments of a size are merged automatically.
    await waitFor(async () => expect(await segments(other)).toBe(1))
  })
  const { engine, other } = dependencies
  for (let batch = 1; batch < segmentsPerTier; batch++) await engine.ingest(batchOf(numbered(5, batch * 5), start))
  expect(await segments(other)).toBe(segmentsPerTier - 1)
  dependencies.arm()
  await engine.maintain(expiry)
  expect(Object.keys(await severitiesIn(engine))).toHaveLength(5)
  expect(dependencies.problems()).toEqual([])
})

test('all replicas delete severity overrides some time after they were folded into segments', async () => {
  await using dependencies = await openHooked(async () => undefined)
  const { engine, other } = dependencies
  await engine.ingest(batchOf([one], start))
  await engine.setSeverity('one', 'CRITICAL')
  await engine.maintain({ ...expiry, retention: unlimitedRetention, isThorough: true })
  const before = await other.catalogue.version()
  expect(await dependencies.overrides()).toHaveLength(1)
  await other.catalogue.deleteFoldedBefore(Date.now() + 1_000)
  expect(await dependencies.overrides()).toEqual([])
  expect((await other.catalogue.changes(before))?.amendments?.overrides).toEqual([])
  expect(await severitiesIn(engine)).toEqual({ one: 'CRITICAL' })
  const after = await other.catalogue.version()
  await other.catalogue.deleteFoldedBefore(Date.now() + 1_000)
  expect(await other.catalogue.version()).toBe(after)
})
