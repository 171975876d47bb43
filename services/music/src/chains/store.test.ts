import { openStore } from '@trellis/kit/store'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import type { Kysely } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../schemas.ts'
import type { ChainRow, MusicTables, NodeRow } from '../store/tables.ts'
import {
  deleteChain,
  deleteNodes,
  findChain,
  findNode,
  generatingNodes,
  insertChain,
  insertNodes,
  listChains,
  nodesOfChains,
  restartNode,
  setDecisions,
  updateChain,
  updateGenerating,
} from './store.ts'

const schema = { name: 'music', migrations }

const chainOf = (id: string, change: Partial<ChainRow> = {}): ChainRow => ({
  id,
  user_id: 'ada',
  name: `Chain ${id}`,
  created_at: '2026-06-15T12:00:00.000Z',
  updated_at: '2026-06-15T12:00:00.000Z',
  sample_rate: 44_100,
  channels: 2,
  root_node_id: `${id}-root`,
  ...change,
})

const nodeOf = (id: string, chainId: string, change: Partial<NodeRow> = {}): NodeRow => ({
  id,
  chain_id: chainId,
  parent_id: `${chainId}-root`,
  kind: 'continuation',
  status: 'generating',
  decision: 'undecided',
  prompt: 'dark \u{1f3b5}',
  seed: Number.MAX_SAFE_INTEGER,
  frames: 44_100 * 3_600 * 24,
  context_seconds: 0.1,
  generator: 'recombine',
  progress: 0.25,
  error: null,
  run_id: `generate-${id}-1`,
  attempt: 1,
  started_at: null,
  input_key: null,
  distance_percentile: null,
  loudness_step_lu: -0.3,
  beat_error_ms: null,
  bpm: 120.5,
  musical_key: null,
  loudness_lufs: -14.2,
  loudness_range_lu: null,
  silent_tail_seconds: 0,
  prompt_honored: '[]',
  created_at: '2026-06-15T12:00:01.000Z',
  ready_at: null,
  ...change,
})
const rootOf = (chainId: string) =>
  nodeOf(`${chainId}-root`, chainId, { parent_id: null, kind: 'upload', status: 'ready', seed: null, run_id: null })

describe.each(databases)('on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('chains and nodes', () => {
    let database: RunningDatabase
    let opened: AsyncDisposableStack
    let db: Kysely<MusicTables>
    beforeAll(async () => {
      database = await start()
    })
    afterAll(() => database[Symbol.asyncDispose]())
    beforeEach(async () => {
      opened = new AsyncDisposableStack()
      const { location } = opened.use(await database.place(schema))
      db = opened.use(await openStore<MusicTables>({ ...location, ...schema })).db
    })
    afterEach(() => opened.disposeAsync())

    const add = (id: string, change: Partial<ChainRow> = {}) => insertChain(db, chainOf(id, change), rootOf(id))

    test('are stored without loss of any value', async () => {
      await add('a')
      const node = nodeOf('n', 'a')
      await insertNodes(db, [node])
      expect(await findChain(db, 'a', 'ada')).toEqual(chainOf('a'))
      expect(await findChain(db, 'a', 'bob')).toBeUndefined()
      expect(await findNode(db, 'n')).toEqual(node)
      expect(await nodesOfChains(db, ['a'])).toEqual(
        [node, rootOf('a')].toSorted((a, b) => (a.seed ?? 0) - (b.seed ?? 0)),
      )
    })

    test('are listed newest first in pages, by id where times are equal', async () => {
      for (const id of ['b', 'B', 'a', '_', 'ä']) await add(id)
      await add('new', { created_at: '2026-06-16T12:00:00.000Z' })
      await add('other', { user_id: 'bob' })
      const ids: string[] = []
      for (let page = await listChains(db, 'ada', 2, undefined); page.length > 0; ) {
        ids.push(...page.map(({ id }) => id))
        const last = page.at(-1)
        page = last ? await listChains(db, 'ada', 2, { createdAt: last.created_at, id: last.id }) : []
      }
      expect(ids).toEqual(['new', 'ä', 'b', 'a', '_', 'B'])
    })

    test('nodes are ordered by creation time, then by seed', async () => {
      await add('a')
      const seeds = [11, 2, 100, Number.MAX_SAFE_INTEGER]
      await insertNodes(
        db,
        seeds.map((seed) => nodeOf(`n${seed}`, 'a', { seed })),
      )
      const nodes = await nodesOfChains(db, ['a'])
      expect(nodes.map(({ seed }) => seed)).toEqual([null, 2, 11, 100, Number.MAX_SAFE_INTEGER])
    })

    test('a chain is not stored if its upload cannot be', async () => {
      await add('a')
      await expect(insertChain(db, chainOf('b'), rootOf('a'))).rejects.toThrow(/unique/i)
      expect(await findChain(db, 'b', 'ada')).toBeUndefined()
    })

    test('a node is updated only by its current run', async () => {
      await add('a')
      await insertNodes(db, [nodeOf('n', 'a')])
      const run = { id: 'n', runId: 'generate-n-1' }
      expect(await updateGenerating(db, { ...run, runId: 'other' }, { progress: 1 })).toBeUndefined()
      expect(await updateGenerating(db, run, { status: 'error', error: 'It was lost.' })).toMatchObject({
        status: 'error',
        frames: 44_100 * 3_600 * 24,
      })
      expect(await updateGenerating(db, run, { progress: 1 })).toBeUndefined()
    })

    test('only one of several concurrent restarts succeeds', async () => {
      await add('a')
      await insertNodes(db, [nodeOf('n', 'a', { status: 'error' })])
      const restarts = await Promise.all(
        [2, 3, 4].map((attempt) => restartNode(db, 'n', { run_id: `generate-n-${attempt}`, attempt })),
      )
      expect(restarts.filter((node) => node !== undefined)).toHaveLength(1)
      expect((await generatingNodes(db)).map(({ id }) => id)).toEqual(['n'])
    })

    test('decisions, names and removals are stored', async () => {
      await add('a')
      await insertNodes(db, [nodeOf('n', 'a'), nodeOf('m', 'a')])
      await setDecisions(
        db,
        new Map([
          ['n', 'committed'],
          ['m', 'discarded'],
        ] as const),
      )
      await updateChain(db, 'a', { name: 'renamed' })
      expect((await nodesOfChains(db, ['a'])).map(({ id, decision }) => `${id} ${decision}`).toSorted()).toEqual([
        'a-root undecided',
        'm discarded',
        'n committed',
      ])
      await deleteNodes(db, ['m'])
      expect(await findNode(db, 'm')).toBeUndefined()
      await deleteChain(db, 'a')
      expect([await findChain(db, 'a', 'ada'), await nodesOfChains(db, ['a'])]).toEqual([undefined, []])
    })
  })
})
