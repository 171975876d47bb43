import { createMemoryBus } from '@trellis/kit/bus'
import { readConfig } from '@trellis/kit/config'
import { createEgress } from '@trellis/kit/egress'
import { serviceError } from '@trellis/kit/errors'
import { createSerialQueue } from '@trellis/kit/lifecycle'
import { openStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { runTopic } from '@trellis/kit/workloads'
import { UpdateFrame } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { CapacityResponse } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { request } from '../../test/searches.ts'
import { listingsConfig } from '../config.ts'
import type { Dependencies } from '../dependencies.ts'
import { openLeases } from '../leases.ts'
import { noMetrics } from '../metrics.ts'
import type { Listing } from '../records.ts'
import { answerOf } from '../results/answer.ts'
import { wholes } from '../results/parts.ts'
import { type Control, controlOf, updatesOf } from '../results/updates.ts'
import { type ListingsTables, migrations } from '../schemas.ts'
import { createSession, findSearch } from '../session/store.ts'
import { encodeMessage } from '../worker/messages.ts'
import { driveSearch } from './drive.ts'
import { encodeJob, maxTries, type ResponseMode } from './job.ts'

const never = new AbortController().signal
const sessionId = 'search'

let stack: AsyncDisposableStack
let dependencies: Dependencies
let requested: string[]

beforeEach(async () => {
  stack = new AsyncDisposableStack()
  const { path } = stack.use(await temporaryDirectory())
  const bus = stack.use(createMemoryBus())
  const { db } = stack.use(await openStore<ListingsTables>({ name: 'listings', dataDirectory: path, migrations }))
  requested = []
  const refusing: Dependencies['workloads'] = {
    run: async ({ runId = '' }) => {
      requested.push(runId)
      throw serviceError('unavailable', 'Too much work is waiting already.')
    },
    cancel: async () => ({}),
    list: async () => ({ runs: [] }),
    capacity: async () => CapacityResponse.fromPartial({}),
  }
  dependencies = {
    config: readConfig(listingsConfig, { MARKETPLACE_BASE_URL: 'http://site.test' }),
    db,
    bus,
    workloads: refusing,
    localWorkloads: refusing,
    runsAreObjects: false,
    leases: openLeases(db, () => new Date()),
    upstream: stack.use(createEgress({ blockPrivate: false })),
    admission: createSerialQueue(),
    log: silentLog,
    metrics: noMetrics,
    now: () => new Date(),
    signal: never,
    demoUrl: () => Promise.reject(new Error('There is no demo here.')),
  }
})
afterEach(() => stack.disposeAsync())

const registerSearch = async ({
  seconds = 60,
  responseMode = 'stream',
}: {
  seconds?: number
  responseMode?: ResponseMode
} = {}) => {
  const jobJson = encodeJob({ request: request(), tier: 'local', responseMode })
  const deadlineAt = new Date(Date.now() + seconds * 1000)
  await createSession(dependencies.db, { id: sessionId, userId: 'local', deadlineAt, jobJson }, new Date())
}

const drive = (delivery: number) => driveSearch(dependencies, sessionId, { delivery, signal: never })

const listing: Listing = {
  platform: 'ebay',
  platformListingId: '1',
  title: 'A camera',
  price: 10,
  priceHigh: null,
  currency: 'USD',
  condition: '',
  sellerPlatformId: '',
  url: 'http://site.test/itm/1',
  photoUrls: [],
  listingAgeDays: 0,
  buyingFormat: 'fixed_price',
  endsAt: null,
  bidCount: null,
  categoryName: null,
}

/** Publishes the reports of a run that was started twice. */
const reportWholeRun = async (what: 'nothing' | 'listed' = 'nothing') => {
  const listings = what === 'listed' ? [listing] : []
  const found = encodeMessage({ kind: 'found', listings, sellers: [], usableShare: null, toCome: 0 })
  const sales = encodeMessage({ kind: 'sales', query: 'camera', sales: [], failure: null })
  const started = { $case: 'started', value: { worker: '1', warm: false } } as const
  for (const report of [
    started,
    { $case: 'output', value: found },
    { $case: 'output', value: sales },
    started,
    { $case: 'output', value: sales },
    { $case: 'output', value: found },
    { $case: 'completed', value: { result: new Uint8Array() } },
  ] as const)
    await dependencies.bus.publish(runTopic.search(sessionId), { runId: sessionId, report })
}

/** All published frames, up to `done`. */
const frames = async () => {
  const reported = []
  for await (const whole of wholes(
    dependencies.bus.subscribe(updatesOf(sessionId), { after: 'start', signal: never }),
  )) {
    if (whole.kind !== 'message') continue
    const { event } = UpdateFrame.decode(whole.bytes)
    if (event) reported.push(event)
    if (event?.$case === 'done') return reported
  }
  return reported
}

const hasEnded = async () => (await findSearch(dependencies.db, sessionId))?.ended_at !== null

test('a blocking search whose run is refused fails within seconds, with the reason', async () => {
  await registerSearch({ responseMode: 'answer' })
  await drive(1)
  await expect(answerOf(dependencies.bus, sessionId, never)()).rejects.toMatchObject({
    kind: 'unavailable',
    message: 'Too much work is waiting already.',
  })
  expect([await hasEnded(), requested.length > 1]).toEqual([true, true])
})

test('a followed search whose run is refused retries until its deadline', async () => {
  await registerSearch({ seconds: 2 })
  await drive(1)
  expect((await frames()).at(-1)).toMatchObject({ $case: 'done', value: { reason: 'timeout' } })
  expect([await hasEnded(), requested.length > 1]).toEqual([true, true])
})

/** A database that fails every write while it is unavailable. */
const failingWrites = (db: Dependencies['db'], isAway: () => boolean): Dependencies['db'] =>
  new Proxy(db, {
    get: (target, name) => {
      if (isAway() && (name === 'insertInto' || name === 'transaction'))
        throw serviceError('unavailable', 'The database is unavailable.')
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

test.each([false, true])(
  'a run continues while the database of its search is unavailable (runs are objects: %s)',
  async (areObjects) => {
    await registerSearch()
    await reportWholeRun('listed')
    const cancelled: string[] = []
    let isAway = true
    dependencies = {
      ...dependencies,
      runsAreObjects: areObjects,
      db: failingWrites(dependencies.db, () => isAway),
      workloads: {
        ...dependencies.workloads,
        cancel: async ({ runId = '' }) => {
          cancelled.push(runId)
          return {}
        },
      },
    }
    await expect(drive(maxTries)).rejects.toMatchObject({ kind: 'unavailable' })
    expect([await hasEnded(), cancelled]).toEqual([false, []])
    isAway = false
    await drive(maxTries)
    expect((await frames()).map(({ $case }) => $case)).toContain('listings')
    expect([await hasEnded(), cancelled]).toEqual([true, []])
  },
)

test.each([
  ['the mark', 1],
  ['the listings', 2],
  ['the price', 3],
  ['the end', 4],
])(
  'a search that cannot publish %s is requeued, and the next driver publishes it completely',
  async (_what, failsAt) => {
    await registerSearch()
    await reportWholeRun()
    const { bus } = dependencies
    let calls = 0
    const failing: typeof bus.publish = (topic, event) => {
      calls += 1
      return calls === failsAt
        ? Promise.reject(serviceError('unavailable', 'The bus is unavailable.'))
        : bus.publish(topic, event)
    }
    dependencies = { ...dependencies, bus: { ...bus, publish: failing } }
    await expect(drive(2)).rejects.toMatchObject({ kind: 'unavailable' })
    expect(await hasEnded()).toBe(false)
    dependencies = { ...dependencies, bus }
    await drive(3)
    expect((await frames()).map(({ $case }) => $case)).toEqual(['listings', 'marketPrice', 'done'])
  },
)

test('a search that was interrupted too often fails and is not retried', async () => {
  await registerSearch()
  await drive(maxTries + 1)
  expect((await frames()).map(({ $case }) => $case)).toEqual(['searchFailed', 'done'])
  expect([await hasEnded(), requested]).toEqual([true, []])
})

test('a search whose deadline passed before it was driven ends at once', async () => {
  await registerSearch({ seconds: -1 })
  await drive(1)
  expect(await frames()).toEqual([{ $case: 'done', value: { reason: 'timeout' } }])
  expect([await hasEnded(), requested]).toEqual([true, []])
})

test('a search that was cancelled before it was driven ends without failing', async () => {
  await registerSearch()
  await dependencies.bus.publish<Control>(controlOf(sessionId), { kind: 'cancel' })
  await drive(1)
  expect((await frames()).map(({ $case }) => $case)).toEqual(['done'])
  expect(await hasEnded()).toBe(true)
})

test('a search that has ended or is unknown is not driven', async () => {
  await drive(1)
  await registerSearch()
  await drive(maxTries + 1)
  await drive(1)
  expect((await frames()).map(({ $case }) => $case)).toEqual(['searchFailed', 'done'])
})

test('a driver whose delivery is aborted does not change the search', async () => {
  await registerSearch()
  const turn = new AbortController()
  turn.abort(new Error('It was reassigned.'))
  await expect(driveSearch(dependencies, sessionId, { delivery: 1, signal: turn.signal })).rejects.toThrow('reassigned')
  expect(await hasEnded()).toBe(false)
})

test('where runs are objects, a search ends only after its conclusion is published to the operator', async () => {
  await registerSearch()
  await reportWholeRun()
  const { bus } = dependencies
  const noticed: unknown[] = []
  let isAway = true
  const enqueue: typeof bus.enqueue = async (queue, value) => {
    if (isAway) throw serviceError('unavailable', 'The bus is unavailable.')
    noticed.push([queue.name, value, await hasEnded()])
    return true
  }
  dependencies = { ...dependencies, runsAreObjects: true, bus: { ...bus, enqueue } }
  await expect(drive(2)).rejects.toMatchObject({ kind: 'unavailable' })
  expect([await hasEnded(), noticed]).toEqual([false, []])
  isAway = false
  await drive(3)
  const value = { failure: null, listingsFound: 0, marketPrice: null }
  const notice = { runId: sessionId, event: { $case: 'concluded', value } }
  expect(noticed).toEqual([['workloads.notices', notice, false]])
  expect((await frames()).map(({ $case }) => $case)).toEqual(['listings', 'marketPrice', 'done'])
})

test('where runs are not objects, nothing is queued for an operator', async () => {
  await registerSearch()
  await reportWholeRun()
  const queued: string[] = []
  const { bus } = dependencies
  const enqueue: typeof bus.enqueue = async (queue, ...args) => {
    queued.push(queue.name)
    return bus.enqueue(queue, ...args)
  }
  dependencies = { ...dependencies, bus: { ...bus, enqueue } }
  await drive(2)
  expect([await hasEnded(), queued]).toEqual([true, []])
})

test('a run that was started twice is published once', async () => {
  await registerSearch()
  await reportWholeRun()
  await drive(2)
  expect((await frames()).map(({ $case }) => $case)).toEqual(['listings', 'marketPrice', 'done'])
})
