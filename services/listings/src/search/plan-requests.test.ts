import { spawn } from 'node:child_process'
import { readConfig } from '@trellis/kit/config'
import { connectInProcess, type Handlers } from '@trellis/kit/rpc'
import { silentLog } from '@trellis/kit/telemetry'
import { searchPlanRequests } from '@trellis/kit/workloads'
import { serveAssignments } from '@trellis/kit/workloads/pod'
import { Adapter, ListingsServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import type { SearchSubject } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { asStarted } from '@trellis/test/support/as-started'
import { buses, type RunningBus } from '@trellis/test/support/buses'
import { drawnBackend } from '@trellis/test/support/exploration'
import { modulePath } from '@trellis/test/support/module-path'
import { playOperator } from '@trellis/test/support/played-operator'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Kind, openHeldSite } from '../../test/held-site.ts'
import { expectWhole, follow, local, request } from '../../test/searches.ts'
import { createMemoryHostStates } from '../marketplace/scraper/host-states.ts'
import { createListingsService, listingsConfig, searchWorker } from '../mod.ts'
import { createAdapters } from '../worker/adapters.ts'
import { searchWork } from '../worker/search-work.ts'

const podModule = await modulePath('services/listings/src/worker/pod.ts')

const subject: SearchSubject = {
  query: 'camera',
  mustInclude: [],
  mustIncludeMode: 'all',
  mustExclude: [],
  adapter: 'auto',
  pages: 1,
}

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close()
})

/** Starts a worker's pod: a separate process if there is a server that it can join, otherwise in process. */
const podsOn = ({ bus, address }: RunningBus, environment: Record<string, string>) => {
  const ending = new AbortController()
  const ended: Promise<unknown>[] = []
  cleanUp.push(async () => {
    ending.abort()
    await Promise.all(ended)
  })
  const asProcess = (podUid: string) => {
    const env = {
      ...asStarted,
      ...environment,
      NATS_URL: address ?? '',
      POD_UID: podUid,
      METRICS_PORT: '0',
      LOG_LEVEL: 'silent',
    }
    const child = spawn(process.execPath, [podModule], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    ended.push(new Promise((resolve) => child.once('exit', resolve)))
    ending.signal.addEventListener('abort', () => child.kill('SIGKILL'))
  }
  const inProcess = (podUid: string) => {
    const work = searchWork(createAdapters(readConfig(listingsConfig, environment), createMemoryHostStates()))
    const limits = { lingerMilliseconds: 10_000, reportWithinMilliseconds: 10_000, flushWithinMilliseconds: 100 }
    const own = {
      kind: 'search' as const,
      podUid,
      worker: podUid,
      signal: ending.signal,
      log: silentLog,
      onReady: () => undefined,
    }
    ended.push(serveAssignments({ bus, work, ...limits, ...own }))
  }
  return address === undefined ? inProcess : asProcess
}

/** The service where runs are objects, with an operator that the test simulates. */
const open = async (ground: RunningBus, { held, environment = {} }: { held?: Kind; environment?: object } = {}) => {
  const site = await openHeldSite(held)
  cleanUp.push(() => site.close())
  const reported = { ...site.environment, ...environment }
  const operator = playOperator({ bus: ground.bus, startPod: podsOn(ground, reported) })
  cleanUp.push(async () => operator[Symbol.asyncDispose]())
  const directory = await temporaryDirectory()
  cleanUp.push(async () => directory[Symbol.asyncDispose]())
  const config = readConfig(listingsConfig, reported)
  const service = await createListingsService({
    config,
    store: { dataDirectory: directory.path },
    bus: ground.bus,
    workloads: operator.client,
    runsAreObjects: true,
    localWorker: searchWorker(config),
    log: silentLog,
  })
  cleanUp.push(async () => service[Symbol.asyncDispose]())
  const handlers = service.implementations[0]?.handlers as Handlers<typeof ListingsServiceDefinition>
  return { site, operator, client: connectInProcess(ListingsServiceDefinition, handlers) }
}

const drawnBuses = drawnBackend(buses, 'listings/search/plan-requests')

describe.each(drawnBuses)('over $name, where runs are objects', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('the listings service', () => {
    let ground: RunningBus
    let unique = 0
    beforeAll(async () => {
      ground = await start()
    })
    afterAll(() => ground?.[Symbol.asyncDispose]())
    const newRun = () => {
      unique += 1
      return `srch-${process.pid}-${unique}`
    }

    test('runs a search that an object requests, publishes its updates, and publishes its conclusion', async () => {
      const { operator, client } = await open(ground)
      const runId = newRun()
      await operator.requestPlan(searchPlanRequests, { runId, search: { ...subject, minPrice: 5 } })
      expect(await operator.concluded(runId)).toMatchObject({ listingsFound: 3 })
      expect((await operator.concluded(runId)).failure ?? null).toBeNull()
      expectWhole(await follow(client, runId))
      expect(operator.requested[0]).toMatchObject({
        runId,
        activeDeadlineSeconds: 300,
        user: 'local',
        search: { query: 'camera', minPrice: 5, adapter: 'auto', pages: 1 },
      })
    })

    test('looks sellers up in a child run on the worker that searched', async () => {
      const { operator } = await open(ground)
      const runId = newRun()
      await operator.requestPlan(searchPlanRequests, { runId, search: subject })
      await operator.concluded(runId)
      expect(operator.requested.map((each) => [each.runId, each.parentRunId ?? null])).toEqual([
        [runId, null],
        [`${runId}-sellers`, runId],
      ])
      await expect.poll(() => operator.seenBefore(`${runId}-sellers`)).toEqual(['started', 'worked'])
    })

    test('executes a plan request that is delivered twice once', async () => {
      const { operator, client, site } = await open(ground)
      const runId = newRun()
      await operator.requestPlan(searchPlanRequests, { runId, search: subject })
      await operator.concluded(runId)
      await operator.requestPlan(searchPlanRequests, { runId, search: subject })
      const second = newRun()
      await operator.requestPlan(searchPlanRequests, { runId: second, search: subject })
      await operator.concluded(second)
      expect(operator.seenBefore(runId).filter((kind) => kind === 'concluded')).toHaveLength(1)
      expect(site.requestedFor('search')).toBe(2)
      expectWhole(await follow(client, runId))
    })

    test('creates an object for a search over the API, too, and concludes it', async () => {
      const { operator, client } = await open(ground)
      const { sessionId } = await client.searchAsync(
        request({ minPrice: 0, mustInclude: 'camera, ', adapter: Adapter.SCRAPER }),
        { caller: local },
      )
      expect(await operator.concluded(sessionId)).toMatchObject({ listingsFound: 3 })
      expect(operator.requested[0]?.search).toMatchObject({
        query: 'camera',
        mustInclude: ['camera'],
        adapter: 'scraper',
      })
      expect(operator.requested[0]?.search?.minPrice ?? null).toBeNull()
    })

    test('concludes a plan request that cannot be planned with the reason', async () => {
      const { operator } = await open(ground)
      const runId = newRun()
      await operator.requestPlan(searchPlanRequests, { runId, search: { ...subject, adapter: 'api' } })
      const { failure } = await operator.concluded(runId)
      expect(failure).toMatchObject({ reason: 'Failed', kind: 'unavailable' })
      expect(failure?.detail).toContain('MARKETPLACE_API_URL')
      expect(operator.requested).toEqual([])
    })

    test('reports a refusing marketplace as MarketplaceRefused', async () => {
      const { operator } = await open(ground, { environment: { MARKETPLACE_BASE_URL: await refusingSite() } })
      const runId = newRun()
      await operator.requestPlan(searchPlanRequests, { runId, search: subject })
      expect((await operator.concluded(runId)).failure).toMatchObject({ reason: 'MarketplaceRefused' })
      await expect.poll(() => operator.seenBefore(runId)).toContain('failed')
    })

    test('concludes a cancelled search as Cancelled', async () => {
      const { operator, client, site } = await open(ground, { held: 'search' })
      const runId = newRun()
      await operator.requestPlan(searchPlanRequests, { runId, search: subject })
      await site.reached
      await client.cancelSearch({ sessionId: runId }, { caller: local })
      expect((await operator.concluded(runId)).failure).toMatchObject({ reason: 'Cancelled' })
    })

    test('runs lookups that a call waits for beside the service, without an object', async () => {
      const { operator, client } = await open(ground)
      const answer = await client.getComps({ q: 'camera' }, { caller: local })
      expect([answer.sampleCount, operator.requested]).toEqual([0, []])
    })
  })
})

/** A site that refuses every request. */
const refusingSite = async (): Promise<string> => {
  const { createServer } = await import('node:http')
  const server = createServer((incoming, response) =>
    response.writeHead(incoming.url === '/robots.txt' ? 404 : 403).end(),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUp.push(async () => server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}
