import { openStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { describe, expect, test } from 'vitest'
import { createSharedSearch } from '../branches/shared-search.ts'
import { openEngineIn, type Pushed, serveBranch } from '../branches/stores-for-tests.ts'
import { createModel } from '../models/model.ts'
import { writeTinyModel } from '../models/tiny-model-for-tests.ts'
import { parseQuery } from '../search/query.ts'
import type { SearchRequest } from '../search/search.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { hybridWeights, poolSize } from './hybrid-rank.ts'
import { createSemanticSearch, type SemanticAnswer } from './semantic-search.ts'
import { createTextVectors } from './text-vectors.ts'
import { type VectorTables, vectorMigration } from './vector-store.ts'

/** Rows of a model for which "full" and "space" mean the same, and "door" something else. */
const words = { full: [1, 0], space: [1, 0], disk: [1, 0], door: [0, 1], red: [0, 1] }

const openVectors = async (directory: string, files?: Record<string, null>) => {
  const stack = new AsyncDisposableStack()
  const store = await openStore<VectorTables>({
    name: 'vectors',
    dataDirectory: directory,
    migrations: [{ ...vectorMigration, number: 1 }],
  })
  stack.defer(() => store.close())
  await writeTinyModel(`${directory}/model`, { task: 'embedding', words, ...(files && { files }) })
  const model = stack.use(
    createModel({ directory: `${directory}/model`, task: 'embedding', onProblem: () => undefined }),
  )
  const modelInputs: string[] = []
  const counted = {
    load: model.load,
    run: (texts: readonly string[]) => {
      modelInputs.push(...texts)
      return model.run(texts)
    },
  }
  return {
    vectors: createTextVectors({ db: store.db, model: counted, now: Date.now }),
    db: store.db,
    model: counted,
    modelInputs,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

const open = async (entries: readonly Pushed[], files?: Record<string, null>) => {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await temporaryDirectory())
  const own = stack.use(await openEngineIn(folder.path))
  await own.push(null, entries)
  const opened = stack.use(await openVectors(folder.path, files))
  const resources = stack.move()
  const searchWith = (
    engine: Pick<LogEngine, 'search' | 'countWords' | 'templates' | 'find'>,
    vectors: typeof opened.vectors | undefined,
    waitMilliseconds = 60_000,
  ) => createSemanticSearch({ engine, vectors, waitMilliseconds, onProblem: () => undefined })
  return { ...own, ...opened, searchWith, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

const wordsOf = (q: string, limit: number): Omit<SearchRequest, 'after'> => ({
  query: parseQuery(q),
  filters: {},
  limit,
  order: 'relevance',
  withFacets: true,
})
const hybridOf = (answer: SemanticAnswer) => {
  if (answer.kind !== 'hybrid') throw new Error(`It was ranked by words: ${answer.reason}`)
  return answer
}
const textsOf = (answer: SemanticAnswer) => hybridOf(answer).result.entries.map(({ entry }) => entry.text)
const numbered = (count: number, textOf: (index: number) => string): Pushed[] =>
  Array.from({ length: count }, (_, index) => ({
    text: textOf(index),
    sequence: index,
    timestamp_iso: new Date(1_772_000_000_000 + (index % 50) * 1_000).toISOString(),
  }))

describe('semantic=true', () => {
  test('enables hybrid re-ranking: 0.6 normalized BM25 + 0.4 cosine', async () => {
    await using opened = await open([{ text: 'disk red red red' }, { text: 'space disk' }, { text: 'nothing of it' }])
    const search = opened.searchWith(opened.engine, opened.vectors)
    const answer = hybridOf(await search({ q: 'disk', words: wordsOf('disk', 10), cursor: undefined }))
    const byWords = await opened.engine.search({ ...wordsOf('disk', 10) })
    const best = byWords.entries[0]?.score ?? 0
    const scoreOf = (text: string) => byWords.entries.find(({ entry }) => entry.text === text)?.score ?? 0
    const cosines: Record<string, number> = { 'space disk': 1, 'disk red red red': 1 / Math.hypot(1, 3) }
    expect(hybridWeights).toEqual({ words: 0.6, meaning: 0.4 })
    expect(answer.result.entries.map(({ entry }) => entry.text)).toEqual(['space disk', 'disk red red red'])
    for (const { entry, score } of answer.result.entries)
      expect(score).toBeCloseTo(0.6 * (scoreOf(entry.text) / best) + 0.4 * (cosines[entry.text] ?? 0), 3)
  })

  test('looks at a candidate pool of 5 times the limit, minimum 100', async () => {
    expect([1, 20, 21, 1000].map(poolSize)).toEqual([100, 100, 105, 5000])
    await using opened = await open(numbered(300, (index) => `disk ${index}`))
    const limits: number[] = []
    const engine = {
      ...opened.engine,
      search: (request: SearchRequest) => {
        limits.push(request.limit)
        return opened.engine.search(request)
      },
    }
    await opened.searchWith(engine, opened.vectors)({ q: 'disk', words: wordsOf('disk', 30), cursor: undefined })
    expect(limits.at(-1)).toBe(150)
  })

  test('finds entries with only some of the words, and ranks similar meaning first', async () => {
    await using opened = await open([
      { text: 'the door is open' },
      { text: 'no space left, disk 7' },
      { text: 'door red' },
    ])
    const search = opened.searchWith(opened.engine, opened.vectors)
    expect(
      textsOf(
        await search({ q: 'why is the disk full', words: wordsOf('why is the disk full', 10), cursor: undefined }),
      ),
    ).toEqual(['no space left, disk 7'])
    expect((await opened.engine.search(wordsOf('why is the disk full', 10))).total).toBe(0)
  })

  test('finds entries by meaning alone once their template is known, and pages through them once', async () => {
    await using opened = await open([
      ...numbered(30, (index) => `the door is open ${index}`),
      ...numbered(2, (index) => `no space left on sdb${index}`),
      ...numbered(120, (index) => `disk ${index} is there`),
    ])
    const search = opened.searchWith(opened.engine, opened.vectors)
    const isFound = async () => textsOf(await search({ q: 'full', words: wordsOf('full', 10), cursor: undefined }))
    await expect.poll(isFound).toEqual(expect.arrayContaining(['no space left on sdb0', 'no space left on sdb1']))
    expect(await isFound()).not.toContain('the door is open 0')
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const answer = hybridOf(await search({ q: 'disk', words: wordsOf('disk', 7), cursor }))
      expect(answer.result.total).toBe(122)
      seen.push(...answer.result.entries.map(({ entry }) => entry.entryId))
      cursor = answer.nextCursor ?? undefined
    } while (cursor)
    expect(seen).toHaveLength(122)
    expect(new Set(seen).size).toBe(122)
  })

  test('never returns excluded entries', async () => {
    await using opened = await open([{ text: 'disk red' }, { text: 'disk full' }])
    const search = opened.searchWith(opened.engine, opened.vectors)
    expect(textsOf(await search({ q: 'disk -red', words: wordsOf('disk -red', 10), cursor: undefined }))).toEqual([
      'disk full',
    ])
  })

  test('all pages together contain every match once, with any page size and while entries arrive', async () => {
    const texts = ['disk full', 'disk red', 'disk space 7', 'door disk', 'full red disk']
    await using opened = await open(numbered(257, (index) => `${texts[index % texts.length]} ${index % 7}`))
    const search = opened.searchWith(opened.engine, opened.vectors)
    const seen: string[] = []
    let cursor: string | undefined
    for (let page = 0; page < 100; page++) {
      const limit = [7, 19, 1][page % 3] ?? 7
      const { result, nextCursor } = hybridOf(
        await search({ q: 'disk full', words: wordsOf('disk full', limit), cursor }),
      )
      seen.push(...result.entries.filter(({ entry }) => !entry.text.includes('late')).map(({ entry }) => entry.entryId))
      if (page === 3) await opened.push(null, [{ text: 'disk full full late' }, { text: 'late door disk' }])
      if (nextCursor === null) break
      cursor = nextCursor
    }
    expect(new Set(seen).size).toBe(257)
    expect(seen).toHaveLength(257)
  })

  test('runs the model once for each kind of line, and uses stored vectors after a restart', async () => {
    await using opened = await open(numbered(60, (index) => `disk ${index} full`))
    const search = opened.searchWith(opened.engine, opened.vectors)
    await search({ q: 'disk', words: wordsOf('disk', 10), cursor: undefined })
    expect(opened.modelInputs.toSorted()).toEqual(['disk', 'disk 0 full', 'disk full'])
    await search({ q: 'disk', words: wordsOf('disk', 10), cursor: undefined })
    const again = createTextVectors({ db: opened.db, model: opened.model, now: Date.now })
    const [one] = await again.of(['disk 0 full'])
    expect(one?.[0]).toBeCloseTo(1, 3)
    expect(opened.modelInputs).toHaveLength(3)
  })

  test('ranks branches and the own store as one, and pages through them', async () => {
    const entries = numbered(120, (index) => `${index % 3 === 0 ? 'disk space' : 'disk red'} ${index % 4}`)
    await using one = await open(entries)
    await using cut = await open(entries.filter((_, index) => index % 2 === 0))
    await using branch = await serveBranch('graz')
    await branch.push(entries.filter((_, index) => index % 2 === 1))
    const { engine } = createSharedSearch({
      own: cut.engine,
      directory: { active: async () => [branch.active] },
      waitMilliseconds: 20_000,
      log: silentLog,
    })
    const pagesOf = async (search: ReturnType<typeof one.searchWith>) => {
      const texts: [string, number][] = []
      for (let cursor: string | undefined, page = 0; page < 20; page++) {
        const { result, nextCursor } = hybridOf(
          await search({ q: 'disk space', words: wordsOf('disk space', 25), cursor }),
        )
        texts.push(...result.entries.map(({ entry, score }): [string, number] => [entry.text, Math.round(score * 1e6)]))
        if (nextCursor === null) break
        cursor = nextCursor
      }
      return texts
    }
    const shared = await pagesOf(cut.searchWith(engine, cut.vectors))
    expect(shared).toHaveLength(120)
    expect(shared).toEqual(await pagesOf(one.searchWith(one.engine, one.vectors)))
  })
})

describe('with the embedding backend unavailable or failing, a search falls back to BM25', () => {
  const reasonOf = (answer: SemanticAnswer) => (answer.kind === 'fallback' ? answer.reason : 'hybrid')
  const cases: [string, string, SearchRequest['order'], RegExp][] = [
    ['no words', '  ', 'relevance', /no words in q/],
    ['only exclusions', '-red', 'relevance', /no words in q/],
    ['the order of time', 'disk', 'time', /order of time/],
  ]
  test.each(cases)('%s cannot be compared, and the answer states the reason', async (_, q, order, reason) => {
    await using opened = await open([{ text: 'disk' }])
    const answer = await opened.searchWith(
      opened.engine,
      opened.vectors,
    )({ q, words: { ...wordsOf(q, 5), order }, cursor: undefined })
    expect(reasonOf(answer)).toMatch(reason)
  })

  test('no model is configured, and the answer names the setting', async () => {
    await using opened = await open([{ text: 'disk' }])
    const answer = await opened.searchWith(
      opened.engine,
      undefined,
    )({ q: 'disk', words: wordsOf('disk', 5), cursor: undefined })
    expect(reasonOf(answer)).toMatch(/SERVICE_EMBEDDING_MODEL/)
  })

  test('a model that cannot be loaded is reported with the invalid file', async () => {
    await using opened = await open([{ text: 'disk' }], { 'tokenizer.json': null })
    const answer = await opened.searchWith(
      opened.engine,
      opened.vectors,
    )({ q: 'disk', words: wordsOf('disk', 5), cursor: undefined })
    expect(reasonOf(answer)).toMatch(/tokenizer\.json does not exist/)
  })

  test('a model that is still loading is awaited up to the limit, and is ready for the next search', async () => {
    await using opened = await open([{ text: 'disk' }])
    const impatient = opened.searchWith(opened.engine, opened.vectors, 0)
    expect(reasonOf(await impatient({ q: 'disk', words: wordsOf('disk', 5), cursor: undefined }))).toMatch(
      /still loading/,
    )
    await opened.model.load()
    const patient = opened.searchWith(opened.engine, opened.vectors)
    expect(reasonOf(await patient({ q: 'disk', words: wordsOf('disk', 5), cursor: undefined }))).toBe('hybrid')
  })

  test('a search that began by meaning continues by words without omitting entries', async () => {
    await using opened = await open(numbered(120, (index) => `disk ${index}`))
    const search = opened.searchWith(opened.engine, opened.vectors)
    const first = hybridOf(await search({ q: 'disk', words: wordsOf('disk', 10), cursor: undefined }))
    const cursor = first.nextCursor ?? undefined
    const answer = await opened.searchWith(opened.engine, undefined)({ q: 'disk', words: wordsOf('disk', 200), cursor })
    const rest = answer.kind === 'fallback' && answer.request ? await opened.engine.search(answer.request) : undefined
    const seen = new Set([...first.result.entries, ...(rest?.entries ?? [])].map(({ entry }) => entry.entryId))
    expect(seen.size).toBe(120)
  })
})

test('stored vectors are bounded: the oldest are deleted', async () => {
  await using folder = await temporaryDirectory()
  await using opened = await openVectors(folder.path)
  let time = 0
  const vectors = createTextVectors({
    db: opened.db,
    model: opened.model,
    now: () => time++,
    maxInRows: 20,
    maxInMemory: 1,
  })
  for (let batch = 0; batch < 40; batch++) await vectors.of([`disk ${batch} a`, `disk ${batch} b`])
  const { count } = await opened.db
    .selectFrom('log_text_vectors')
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  expect(Number(count)).toBeLessThanOrEqual(22)
  expect(Number(count)).toBeGreaterThan(10)
})
