import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { hasBrowser, launchBrowser, skipped } from '../../services/web/test/support/browser.ts'
import { type Event, readEvents } from '../support/events.ts'
import { waitFor } from '../support/wait-for.ts'
import { startApiProxy } from './support/api-proxy.ts'
import { runIdOf } from './support/audit.ts'
import { provideNodeAs } from './support/images.ts'
import { createNamespace, install, type Namespace, type Release, small } from './support/installation.ts'
import { openLedger } from './support/ledger.ts'
import { clusterMissing, root, unlessMissing } from './support/programs.ts'
import type { Shown } from './support/watch.ts'

const minutes = 60_000
const adminKey = 'the key of the orchard'
/** Seconds for which finished runs requested by services are retained. */
const timeToLive = 30
/** Bytes before the samples of a WAV file. */
const wavHeader = 44

type Results = { listings: { platform_listing_id: string }[] }

/** The ConfigMap and the Job of the GenerationJob example. */
const readGenerationExample = async (): Promise<[Shown, Shown]> => {
  const text = await readFile(join(root, 'deploy/examples/generation-job.yaml'), 'utf8')
  const [map, job] = parseAllDocuments(text).map((document) => document.toJS() as Shown)
  if (!map || !job) throw new Error('The example is not a ConfigMap and a Job.')
  return [map, job]
}

const idsOf = ({ listings }: Results) => listings.map(({ platform_listing_id }) => platform_listing_id).sort()

describe.skipIf(clusterMissing !== undefined)(unlessMissing('user journeys on a cluster'), () => {
  let namespace: Namespace
  let release: Release
  let origin: string

  beforeAll(async () => {
    namespace = await createNamespace('journey')
    await namespace.kubectl(
      'create',
      'secret',
      'generic',
      'keys',
      `--from-literal=SERVICE_ORCHARD_ADMIN_KEY=${adminKey}`,
    )
    release = await install(namespace, {
      ...small,
      listings: { ...small.listings, replicas: 2 },
      operator: { replicas: 1, runTtlSeconds: timeToLive },
      keys: { existingSecret: 'keys', optional: true },
    })
    origin = await release.origin()
  }, 15 * minutes)
  afterAll(() => namespace?.[Symbol.asyncDispose](), 8 * minutes)

  const wait = (condition: string, ...what: string[]) =>
    namespace.kubectl('wait', `--for=${condition}`, ...what, '--timeout=300s')
  const updates = (session: string) =>
    readEvents(`${origin}/listings/api/updates/${session}`, ({ event }) => event === 'done')
  type Sent = { method?: string; headers?: object; body?: object }
  const post = async (path: string, { method = 'POST', headers = {}, body }: Sent = {}) => {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body ?? {}),
    })
    return { status: response.status, body: (await response.json()) as Shown }
  }
  const search = (name: string, spec: object = {}) => ({
    apiVersion: 'trellis.dev/v1alpha1',
    kind: 'Search',
    metadata: { name },
    spec: { query: 'camera', ...spec },
  })

  test(
    'the examples can be applied unchanged, and kubectl get shows their state',
    async () => {
      const [, job] = await readGenerationExample()
      await provideNodeAs(job.spec.template.spec.containers[0].image)
      await namespace.kubectl('apply', '-f', join(root, 'deploy/examples'))
      // The run object is deleted soon after its end.
      await wait('condition=Complete', 'job/second-verse')
      await wait('condition=Complete', 'generationjobs', '-l', 'trellis.dev/run-id')
      const [made] = await namespace.list('generationjobs', '-l', 'trellis.dev/run-id')
      expect(made).toMatchObject({
        spec: { prompt: 'calm', seed: 1789, durationSeconds: 5 },
        status: { phase: 'Complete', output: { seconds: 5 } },
      })
      await wait('condition=Complete', 'search/thinkpad')
      expect((await namespace.get('search/thinkpad')).status.listingsFound).toBeGreaterThan(0)
      await wait('condition=Ready', 'branch/graz', 'warmpool/searches')
      const shown = await namespace.kubectl('get', 'trellis')
      for (const row of [
        /^branch.trellis.dev\/graz +Active +0 .*True +Active/m,
        /^search.trellis.dev\/thinkpad +Complete +\d+ .*True +Finished/m,
        /^warmpool.trellis.dev\/searches +search +3 +3 +0 +True/m,
      ])
        expect(shown).toMatch(row)
    },
    10 * minutes,
  )

  test(
    'a Search and the same search by HTTP find the same; the Search created for HTTP expires',
    async () => {
      await namespace.apply(search('by-hand', { pages: 2 }))
      const queued = await fetch(`${origin}/listings/api/search/async?q=camera&pages=2`)
      expect(queued.status).toBe(202)
      const { session_id: session } = (await queued.json()) as { session_id: string }
      await wait('condition=Complete', 'search/by-hand')
      const { sessionId, listingsFound } = (await namespace.get('search/by-hand')).status
      const [byHand, byHttp] = [await updates(sessionId), await updates(session)]
      const found = (events: Event[]) => idsOf(events.find(({ event }) => event === 'listings')?.data as Results)
      expect(found(byHand)).toEqual(found(byHttp))
      expect(found(byHand)).toHaveLength(listingsFound)
      // The sellers looked up by each of the two depend on which came first.
      const kinds = (events: Event[]) => [...new Set(events.map(({ event }) => event))].sort()
      expect(kinds(byHand)).toEqual(['done', 'listings', 'market_price', 'update'])
      expect(kinds(byHttp)).toEqual(kinds(byHand))

      const made = `trellis.dev/run-id=${session}`
      const [object] = await namespace.list('searches', '-l', made)
      await wait('condition=Complete', `search/${object.metadata.name}`)
      expect(await namespace.get(`search/${object.metadata.name}`)).toMatchObject({
        spec: { query: 'camera', pages: 2, ttlSecondsAfterFinished: timeToLive },
        status: { phase: 'Complete', listingsFound, sessionId: session },
      })
      await wait('delete', 'search', '-l', made)
      expect(await namespace.list('pods', '-l', made)).toEqual([])
    },
    10 * minutes,
  )

  test(
    'monitors on two replicas run once each, as Searches with workers, and alert once to each listing',
    async () => {
      await wait('jsonpath={.status.readyReplicas}=2', 'deployment/trellis-listings')
      await using proxy = await startApiProxy()
      await using ledger = await openLedger({ origin: proxy.origin, namespace: namespace.name })
      const api = '/listings/api'
      const read = async (path: string) => (await (await fetch(`${origin}${api}${path}`)).json()) as Shown
      const queries = ['macbook', 'tablet']
      const monitors = await Promise.all(
        queries.map((query) => post(`${api}/saved-searches`, { body: { name: query, query } })),
      )
      await Promise.all(
        monitors.map(({ body }) =>
          post(`${api}/saved-searches/${body.id}/monitor`, { method: 'PATCH', body: { monitor_enabled: true } }),
        ),
      )
      const ran = await waitFor(
        async () => {
          const { saved_searches: saved } = await read('/saved-searches')
          for (const one of saved) expect(one).toMatchObject({ last_checked_at: expect.any(String), last_error: null })
          return saved
        },
        { timeout: 3 * minutes },
      )
      expect(ran).toHaveLength(queries.length)

      const { alerts } = await read('/alerts?limit=200')
      expect([...new Set(alerts.map((alert: Shown) => alert.saved_search_name))].sort()).toEqual([...queries].sort())
      const listings = alerts.map((alert: Shown) => alert.platform_listing_id)
      expect(listings).toEqual([...new Set(listings)])

      const searches = () => [...ledger.searches().values()].filter(({ spec }) => queries.includes(spec.query))
      await expect.poll(() => searches().map(({ status }) => status.phase)).toEqual(queries.map(() => 'Complete'))
      const pods = ledger.entries.filter(({ resource }) => resource === 'pods').map(({ object }) => runIdOf(object))
      for (const { status } of searches()) expect(pods).toContain(status.sessionId)
      expect(ledger.broken()).toEqual([])
    },
    10 * minutes,
  )

  test.skipIf(!hasBrowser)(
    `a Search that is applied is shown by the web app while it runs${skipped}`,
    async () => {
      await using browser = await launchBrowser()
      const { page, problems } = await browser.open(origin)
      // Pods that start change this machine's network, and the browser then abandons what it loads: a reader would load it again.
      const load = (path: string, content: Locator) =>
        waitFor(async () => {
          await page.goto(path)
          await content.waitFor({ timeout: 15_000 })
        })
      await load('/', page.getByRole('heading', { level: 1 }))
      await page.waitForURL('**/home')
      await namespace.apply(search('in-the-app', { query: 'thinkpad', pages: 2 }))
      const session = await waitFor(async () => {
        const { sessionId } = (await namespace.get('search/in-the-app')).status
        expect(sessionId).toMatch(/./)
        return String(sessionId)
      })
      const listings = page.getByRole('list', { name: 'Listings' }).locator(':scope > li')
      await load(`/listings?q=thinkpad&s=${session}`, listings.first())
      await wait('condition=Complete', 'search/in-the-app')
      await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' })
      const { listingsFound } = (await namespace.get('search/in-the-app')).status
      await page.getByText(`${listingsFound} results`).waitFor()
      expect(problems()).toEqual([])
    },
    10 * minutes,
  )

  test(
    'a branch grafted by HTTP takes a batch, is searched, and has its entries after reactivation',
    async () => {
      const admin = { 'x-admin-key': adminKey }
      const grafted = await post('/logs/api/orchard/graft', { headers: admin, body: { label: 'Shop in Linz' } })
      expect(grafted).toMatchObject({ status: 201, body: { slug: 'shop-in-linz' } })
      const { slug, api_key: key, submit_endpoint: endpoint } = grafted.body
      const { pathname } = new URL(endpoint)
      await wait('condition=Ready', `branch/${slug}`)
      const push = async (bearer: string) => {
        const pushed = await post(pathname, {
          headers: { authorization: `Bearer ${bearer}` },
          body: { source_id: 'till', entries: [{ text: 'the drawer of the hibiscus till is open' }] },
        })
        return pushed.status
      }
      await expect.poll(() => push(key), { timeout: minutes, interval: 500 }).toBe(200)
      expect(await push('wrong')).toBe(401)
      const { secretName } = (await namespace.get(`branch/${slug}`)).status
      const encoded = await namespace.kubectl('get', 'secret', secretName, '-o', 'jsonpath={.data.api-key}')
      expect(Buffer.from(encoded, 'base64').toString()).toBe(key)
      const found = async () =>
        ((await (await fetch(`${origin}/logs/api/search?q=hibiscus`)).json()) as { entries: { branch: string }[] })
          .entries
      // The log service may have queried the branch before it existed, and lists it as missing for a moment.
      await expect.poll(found, { timeout: minutes, interval: 250 }).toMatchObject([{ branch: slug }])
      await expect
        .poll(async () => (await namespace.get(`branch/${slug}`)).status.entryCount, { timeout: minutes })
        .toBe(1)

      const claims = async () => (await namespace.list('pvc')).map(({ metadata }) => metadata.uid)
      const before = await claims()
      const rested = await fetch(`${origin}/logs/api/orchard/branches/${slug}`, { method: 'DELETE', headers: admin })
      expect(rested.status).toBe(204)
      await wait('delete', 'pods', '-l', `trellis.dev/branch=${slug}`)
      await wait('jsonpath={.status.phase}=Inactive', `branch/${slug}`)
      expect(await claims()).toEqual(before)

      const active = await post(`/logs/api/orchard/branches/${slug}/activate`, { headers: admin })
      expect(active.status).toBe(200)
      await wait('condition=Ready', `branch/${slug}`)
      await expect.poll(found, { timeout: minutes, interval: 500 }).toMatchObject([{ branch: slug }])
    },
    10 * minutes,
  )

  const chains = '/music/api/chains'
  const uploadTune = async (): Promise<Shown> => {
    const form = new FormData()
    form.append('file', new Blob([await readFile(join(root, 'docs/examples/tune.ogg'))]), 'tune.ogg')
    form.append('name', 'tune')
    const created = await fetch(`${origin}${chains}`, { method: 'POST', body: form })
    expect(created.status).toBe(201)
    return (await created.json()) as Shown
  }
  const bytesOf = async (path: string) => Buffer.from(await (await fetch(`${origin}${path}`)).arrayBuffer())

  test(
    'a GenerationJob for a node generated by HTTP reports its output and does not generate it again',
    async () => {
      const { chain_id: chain, root_node_id: rootNode } = await uploadTune()
      const { body } = await post(`${chains}/${chain}/nodes/${rootNode}/branches`, {
        body: { prompt: 'calm', seed: 1789, duration_seconds: 5 },
      })
      const [{ node_id: node }] = body.nodes
      await wait('condition=Complete', 'generationjobs', '-l', 'trellis.dev/run-id')
      const audio = () => bytesOf(`${chains}/${chain}/nodes/${node}/audio`)
      const before = await audio()
      expect(before.subarray(0, 4).toString()).toBe('RIFF')

      // The same steps as the commands in the example.
      const [{ data }] = await readGenerationExample()
      const example = parse(data['generation-job.yaml']) as Shown
      await namespace.apply({ ...example, spec: { ...example.spec, chainId: chain, nodeId: node } })
      await wait('condition=Complete', 'generationjob/second-verse')
      const { status } = await namespace.get('generationjob/second-verse')
      expect(status).toMatchObject({ phase: 'Complete', output: { seconds: 5 }, progress: 1 })
      expect((await audio()).equals(before)).toBe(true)
    },
    10 * minutes,
  )

  test(
    'a node is separated into four stems, which sum to it in every sample',
    async () => {
      const { chain_id: chain, root_node_id: node } = await uploadTune()
      const path = `${chains}/${chain}/nodes/${node}`
      expect((await post(`${path}/stems`)).status).toBe(202)
      const read = async () => (await (await fetch(`${origin}${path}/stems`)).json()) as Shown
      await expect
        .poll(read, { timeout: 5 * minutes, interval: 500 })
        .toMatchObject({ status: expect.stringMatching(/ready|error/) })
      const { status, error, method, stems } = await read()
      expect({ status, error, method }).toEqual({ status: 'ready', error: null, method: 'blind' })
      expect(stems.map(({ name }: Shown) => name)).toEqual(['vocals', 'drums', 'bass', 'other'])
      const mix = await bytesOf(`${path}/audio`)
      const files: Buffer[] = await Promise.all(stems.map(({ url }: Shown) => bytesOf(url)))
      expect(files.map(({ length }) => length)).toEqual(Array(4).fill(mix.length))
      const samples = Array.from({ length: (mix.length - wavHeader) / 3 }, (_, i) => wavHeader + 3 * i)
      const sumAt = (at: number) => files.reduce((sum, file) => sum + file.readIntLE(at, 3), 0)
      expect(samples.filter((at) => sumAt(at) !== mix.readIntLE(at, 3))).toEqual([])
    },
    10 * minutes,
  )

  test('the operator sends no forbidden requests to the API server', async () => {
    const logs = await namespace.kubectl('logs', '-l', 'app.kubernetes.io/component=operator', '--tail=-1')
    const refused = logs.split('\n').filter((line) => line.includes('forbidden') && !line.includes('gpu.clusterRead'))
    expect(refused).toEqual([])
  })
})
