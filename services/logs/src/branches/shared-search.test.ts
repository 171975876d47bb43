import { once } from 'node:events'
import { createServer } from 'node:net'
import { type Call, connectGrpc } from '@trellis/kit/rpc'
import { silentLog } from '@trellis/kit/telemetry'
import { BranchServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { diagnose } from '../diagnose/diagnose.ts'
import { utc } from '../formats/zone.ts'
import { aroundEntry } from '../search/context.ts'
import { parseQuery } from '../search/query.ts'
import type { FoundEntry, SearchRequest } from '../search/search.ts'
import { sourcesRpc } from '../sources/rpc.ts'
import type { TailParameters } from '../tail/frames.ts'
import { templatesRpc } from '../templates/rpc.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import type { ActiveBranch } from './directory.ts'
import { createSharedSearch } from './shared-search.ts'
import { nowhere, openEngineIn, type Pushed, type ServedBranch, serveBranch } from './stores-for-tests.ts'

const words = ['pump', 'valve', 'ledger', 'garden', 'error', 'timeout', 'retry', 'started', 'ok', 'nginx']
/** Deterministic pseudo-random numbers from 0 to 1 (mulberry32). */
const createChance = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const madeEntries = (count: number, seed: number): Pushed[] => {
  const chance = createChance(seed)
  return Array.from({ length: count }, (_, index) => ({
    text: `${Array.from({ length: 1 + Math.floor(chance() * 8) }, () => words[Math.floor(chance() ** 2 * words.length)]).join(' ')} ${seed}`,
    source_id: `app-${Math.floor(chance() * 3)}`,
    sequence: index,
    timestamp_iso: new Date(1_772_000_000_000 + Math.floor(chance() * 5e8)).toISOString(),
    ...(chance() < 0.2 && { severity: 'ERROR' }),
  }))
}

const request = (q: string, more: Partial<SearchRequest> = {}): SearchRequest => ({
  query: parseQuery(q),
  filters: {},
  limit: 50,
  order: q === '' ? 'time' : 'relevance',
  withFacets: true,
  ...more,
})
const keyOf = ({ entry, score }: FoundEntry) => ({ id: entry.entryId, branch: entry.origin.branch, score })

const allPages = async (engine: LogEngine, searched: SearchRequest): Promise<FoundEntry[]> => {
  const found: FoundEntry[] = []
  let page = await engine.search(searched)
  for (;;) {
    found.push(...page.entries)
    if (page.next === null) return found
    page = await engine.search({ ...searched, after: page.next })
  }
}

const shared = (own: LogEngine, active: () => ActiveBranch[], waitMilliseconds = 20_000) =>
  createSharedSearch({ own, directory: { active: async () => active() }, waitMilliseconds, log: silentLog }).engine

describe('searching with branches', () => {
  const stack = new AsyncDisposableStack()
  let whole: Awaited<ReturnType<typeof openEngineIn>>
  let own: Awaited<ReturnType<typeof openEngineIn>>
  let branches: ServedBranch[]
  let engine: LogEngine
  beforeAll(async () => {
    whole = stack.use(await openEngineIn(stack.use(await temporaryDirectory()).path))
    own = stack.use(await openEngineIn(stack.use(await temporaryDirectory()).path))
    branches = [stack.use(await serveBranch('barn')), stack.use(await serveBranch('attic'))]
    const [ownEntries, barn, attic] = [madeEntries(300, 1), madeEntries(700, 2), madeEntries(40, 3)]
    await Promise.all([
      own.push(null, ownEntries),
      branches[0]?.push(barn),
      branches[1]?.push(attic),
      whole
        .push(null, ownEntries)
        .then(() => whole.push('barn', barn))
        .then(() => whole.push('attic', attic)),
    ])
    engine = shared(own.engine, () => branches.map(({ active }) => active))
  })
  afterAll(() => stack.disposeAsync())

  test.each([[''], ['pump'], ['pump -valve'], ['nginx OR retry'], ['gard*'], ['"pump pump"'], ['absent']])(
    '%j has the same order, scores, pages and counts as one store with all entries',
    async (q) => {
      const expected = await whole.engine.search(request(q, { limit: 2_000 }))
      const found = await engine.search(request(q, { limit: 2_000 }))
      expect(found.entries.map(keyOf)).toEqual(expected.entries.map(keyOf))
      expect(found.total).toBe(expected.total)
      expect(found).toMatchObject({ facets: expected.facets, missing: [] })
      expect(found.histogram?.counts.reduce((sum, count) => sum + count, 0)).toBe(
        expected.histogram?.counts.reduce((sum, count) => sum + count, 0),
      )
      expect((await allPages(engine, request(q, { limit: 37 }))).map(keyOf)).toEqual(expected.entries.map(keyOf))
    },
  )

  test('filters apply to branches; a branch or none can be named', async () => {
    const filters = { severities: ['ERROR'], source: 'app-1' } as const
    expect((await engine.search(request('', { filters }))).total).toBe(
      (await whole.engine.search(request('', { filters }))).total,
    )
    const of = async (branch: string) => (await engine.search(request('pump', { filters: { branch } }))).entries
    for (const branch of ['barn', 'attic', 'none']) {
      const found = await of(branch)
      expect(found.length).toBeGreaterThan(0)
      for (const { entry } of found) expect(entry.origin.branch).toBe(branch === 'none' ? null : branch)
    }
    expect(await of('cellar')).toEqual([])
  })

  test('an entry is found in any store, with the entries around it in its own branch', async () => {
    const [found] = (await whole.engine.search(request('', { filters: { branch: 'attic' }, limit: 1 }))).entries
    const entry = await engine.find(found?.entry.entryId ?? '')
    if (!entry) throw new Error('It was not found.')
    expect(entry.origin.branch).toBe('attic')
    const around = { before: 5, after: 5, signal: new AbortController().signal }
    const ids = async (in_: LogEngine) => (await aroundEntry(in_, entry, around)).map(({ entryId }) => entryId)
    expect(await ids(engine)).toEqual(await ids(whole.engine))
    expect(await engine.find('0'.repeat(32))).toBeUndefined()
  })

  test('sources are counted together', async () => {
    const sorted = async (of: LogEngine) =>
      (await of.sources({})).toSorted((a, b) => (a.sourceId < b.sourceId ? -1 : 1))
    expect(await sorted(engine)).toEqual(await sorted(whole.engine))
  })
})

test('an entry that several branches have is found once in each, whatever the page size', async () => {
  await using folder = await temporaryDirectory()
  await using own = await openEngineIn(folder.path)
  await using barn = await serveBranch('barn')
  await using attic = await serveBranch('attic')
  const same = [{ text: 'pump one', sequence: 1, timestamp_iso: '2026-03-01T09:00:00Z' }]
  await own.push(null, same)
  await Promise.all([barn.push(same), attic.push(same)])
  const engine = shared(own.engine, () => [barn.active, attic.active])
  for (const limit of [1, 2, 3]) {
    const found = await allPages(engine, request('pump', { limit }))
    expect(found.map(({ entry }) => entry.origin.branch)).toEqual([null, 'attic', 'barn'])
  }
})

test('a tail of a branch applies all filters of the request', async () => {
  await using folder = await temporaryDirectory()
  await using own = await openEngineIn(folder.path)
  await using barn = await serveBranch('barn')
  const refused: Pushed = { text: 'sshd: Failed password for kim', source_id: 'sshd' }
  const closed: Pushed = { text: 'ledger closed', source_id: 'ledger' }
  await barn.push([refused, closed])
  const directory = { active: async () => [barn.active] }
  const { engine, tails } = createSharedSearch({ own: own.engine, directory, waitMilliseconds: 20_000, log: silentLog })
  const templateOf = async (q: string) => (await engine.search(request(q))).entries[0]?.entry.templateId ?? q
  let sequence = 1
  /** The texts that arrive when the excluded entry is pushed, then the included entry. */
  const followed = async (parameters: TailParameters, excluded: Pushed, included: Pushed): Promise<string[]> => {
    const left = new AbortController()
    const texts: string[] = []
    const [tail] = (await tails(parameters)).shards
    for await (const { event } of tail?.open(undefined, left.signal) ?? []) {
      if (event?.$case === 'entry') texts.push(event.value.text)
      if (texts.includes(included.text)) break
      if (event !== null) continue
      sequence++
      await barn.push([{ ...excluded, sequence }])
      await barn.push([{ ...included, sequence }])
    }
    left.abort()
    return texts
  }
  expect(await followed({ notSource: 'sshd' }, refused, closed)).toEqual([closed.text])
  expect(await followed({ notDomain: 'auth' }, refused, closed)).toEqual([closed.text])
  expect(await followed({ template: await templateOf('closed') }, refused, closed)).toEqual([closed.text])
  expect(await followed({ notTemplate: await templateOf('closed') }, closed, refused)).toEqual([refused.text])
})

describe('an unreachable branch', () => {
  test('is named and left out, and the search does not fail', async () => {
    await using folder = await temporaryDirectory()
    await using own = await openEngineIn(folder.path)
    await using barn = await serveBranch('barn')
    await using attic = await serveBranch('attic')
    await own.push(null, [{ text: 'pump own' }])
    await Promise.all([barn.push([{ text: 'pump barn' }]), attic.push([{ text: 'pump attic' }])])
    const engine = shared(own.engine, () => [barn.active, attic.active, { slug: 'cellar', client: undefined }])
    // A branch that was reached before counts as unreachable at once; a new one has time to start.
    await engine.sources({})
    await barn.leave()
    const found = await engine.search(request('pump'))
    expect(found.entries.map(({ entry }) => entry.text).toSorted()).toEqual(['pump attic', 'pump own'])
    expect(found).toMatchObject({ missing: ['barn', 'cellar'], totalIsExact: false, total: 2 })
    const named: (readonly string[])[] = []
    const note = (branches: readonly string[]) => named.push(branches)
    expect(await engine.sources({}, undefined, note)).toMatchObject([{ entries: 2 }])
    const templates = await engine.templates({ filters: {} }, undefined, note)
    expect(templates.map(({ template }) => template).toSorted()).toEqual(['pump attic', 'pump own'])
    expect(named).toEqual([
      ['barn', 'cellar'],
      ['barn', 'cellar'],
    ])
    await expect(engine.find('0'.repeat(32))).rejects.toMatchObject({ kind: 'unavailable' })
  })

  test('is named in the header of templates, sources, suggestions and statistics, and in a diagnosis', async () => {
    await using folder = await temporaryDirectory()
    await using own = await openEngineIn(folder.path)
    await using barn = await serveBranch('barn')
    await own.push(null, [{ text: 'pump own failed', severity: 'ERROR' }])
    await barn.push([{ text: 'valve barn' }])
    const engine = shared(own.engine, () => [barn.active])
    const dependencies = { engine, requireBranch: async () => [], now: Date.now }
    const templates = templatesRpc(dependencies)
    const sources = sourcesRpc({ ...dependencies, patterns: { patterns: [], problems: [], files: new Map() } } as never)
    const [{ templateId } = { templateId: '' }] = await own.engine.templates({ filters: {} })
    const [{ templateId: ofBarn } = { templateId: '' }] = await engine.templates({ filters: { branch: 'barn' } })
    const calls: Record<string, (call: Call) => Promise<unknown>> = {
      templates: (call) => templates.listTemplates({ trend: '', order: '' } as never, call),
      template: (call) => templates.getTemplate({ templateId }, call),
      sources: (call) => sources.listSources({}, call),
      suggestions: (call) => sources.suggestSources({ text: 'the pump' }, call),
      stats: (call) => sources.getStats({}, call),
    }
    const namedBy = async (send: (call: Call) => Promise<unknown>) => {
      const headers: Record<string, string> = {}
      const header = (name: string, value: string) => {
        headers[name] = value
      }
      await send({ ...nowhere, head: { ...nowhere.head, header } })
      return headers['x-branches-missing']
    }
    for (const [what, send] of Object.entries(calls)) expect(await namedBy(send), what).toBeUndefined()
    await barn.leave()
    for (const [what, send] of Object.entries(calls)) expect(await namedBy(send), what).toBe('barn')
    await expect(templates.getTemplate({ templateId: ofBarn }, nowhere)).rejects.toMatchObject({ kind: 'unavailable' })

    const steps = await Array.fromAsync(
      diagnose(engine, {
        query: 'why did the pump fail?',
        zone: utc,
        now: Date.now(),
        audience: 'sysadmin',
        upstream: { fetch: () => expect.unreachable('No model is configured.') },
        knowledge: { contextFor: async () => ({ facts: [], chunks: [] }) },
        signal: nowhere.signal,
      }),
    )
    const sentence = 'The branch barn does not answer and is left out.'
    expect(steps).toContainEqual({ kind: 'status', stage: 'branches', detail: sentence })
    expect(steps).toContainEqual(expect.objectContaining({ kind: 'summary', text: expect.stringContaining(sentence) }))
    expect(steps.at(-1)).toMatchObject({ kind: 'reasoning', away: ['barn'] })
  })

  test('is named if the query names it although it is inactive, and the empty result is not complete', async () => {
    await using folder = await temporaryDirectory()
    await using own = await openEngineIn(folder.path)
    await using barn = await serveBranch('barn')
    await own.push(null, [{ text: 'pump own' }])
    await barn.push([{ text: 'pump barn' }])
    for (const active of [[], [barn.active]]) {
      const engine = shared(own.engine, () => active)
      const of = (branch?: string) => engine.search(request('pump', { filters: branch ? { branch } : {} }))
      expect(await of('attic')).toMatchObject({ entries: [], total: 0, totalIsExact: false, missing: ['attic'] })
      const named: (readonly string[])[] = []
      const note = (branches: readonly string[]) => named.push(branches)
      for (const branch of ['attic', 'none']) await engine.templates({ filters: { branch } }, undefined, note)
      expect(named).toEqual([['attic']])
      expect(await of('none')).toMatchObject({ total: 1, totalIsExact: true })
      expect((await of('none')).missing ?? []).toEqual([])
      expect((await of()).missing ?? []).toEqual([])
    }
  })

  test('is waited for only until the timeout, and only once', async () => {
    await using folder = await temporaryDirectory()
    await using own = await openEngineIn(folder.path)
    await own.push(null, [{ text: 'pump own' }])
    const silent = createServer(() => undefined)
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    using connection = connectGrpc(BranchServiceDefinition, `127.0.0.1:${port}`)
    try {
      const engine = shared(own.engine, () => [{ slug: 'barn', client: connection.client }], 200)
      for (let round = 0; round < 3; round++) {
        const found = await engine.search(request('pump'))
        expect(found).toMatchObject({ missing: ['barn'], totalIsExact: false, total: 1 })
      }
      const left = new AbortController()
      const leaving = shared(own.engine, () => [{ slug: 'barn', client: connection.client }]).search(
        request('pump'),
        left.signal,
      )
      left.abort(new Error('gone'))
      await expect(leaving).rejects.toThrow('gone')
    } finally {
      silent.close()
    }
  })
})

test('a deletion that fails while the branches are looked up is an error of its caller, not of the process', async () => {
  const unhandled: unknown[] = []
  const record = (error: unknown) => void unhandled.push(error)
  process.on('unhandledRejection', record)
  onTestFinished(() => void process.off('unhandledRejection', record))
  const { engine } = createSharedSearch({
    own: { deleteSource: () => Promise.reject(new Error('There is no database.')) } as unknown as LogEngine,
    // Slower than the failure.
    directory: { active: () => new Promise((resolve) => setImmediate(resolve, [])) },
    waitMilliseconds: 500,
    log: silentLog,
  })
  await expect(engine.deleteSource('app')).rejects.toThrow('There is no database.')
  expect(unhandled).toEqual([])
})
