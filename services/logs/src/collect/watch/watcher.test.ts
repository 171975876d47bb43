import { appendFile, copyFile, mkdir, rename, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLeases } from '@trellis/kit/leases'
import { silentLog } from '@trellis/kit/telemetry'
import { expect, test } from 'vitest'
import { localFilesOf } from '../../local-files/local-files-for-tests.ts'
import { leaseRows } from '../../replicated/lease-rows.ts'
import { collectSource } from '../collect-source.ts'
import { withCollecting } from '../collecting-for-tests.ts'
import type { Chunk, Collectors } from '../collector.ts'
import { createSourceLocks } from '../source-locks.ts'
import { createSourcesFile } from '../sources-file.ts'
import { until } from '../until-for-tests.ts'
import { type WatchLimits, watchLimits } from './source-watch.ts'
import { createWatcher, type WatchState } from './watcher.ts'

const hour = 3_600_000
const quick: WatchLimits = { ...watchLimits, milliseconds: 200, pollMilliseconds: 1_000, retryMilliseconds: 100 }
/** Stores by the number of lines only. */
const byLines: WatchLimits = { ...watchLimits, milliseconds: hour, pollMilliseconds: hour }

const line = (number: number) => `2026-03-01T09:15:${String(number % 60).padStart(2, '0')}Z INFO line n${number}\n`
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => line(from + index)).join('')
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

const withWatcher = async (limits: WatchLimits, more: Collectors['local'] = {}) => {
  await using opened = new AsyncDisposableStack()
  const collecting = opened.use(await withCollecting())
  const { directory, engine, collector, store } = collecting
  await mkdir(join(directory, 'logs'))
  const path = join(directory, 'logs', 'app.log')
  await writeFile(path, '')
  const file = join(directory, 'sources.yaml')
  await writeFile(file, `sources:\n  - {id: app, path: ${path}}\n`)
  const sources = createSourcesFile({ path: file, lockDirectory: join(directory, 'lock') })
  const locks = createSourceLocks({ leases: undefined })
  const how = {
    engine,
    collectors: { local: { file: collector, ...more } },
    checkpointsOf: (id: string) => collecting.checkpointsOf({ id }),
  }
  const states: WatchState[] = []
  const watcher = createWatcher({
    collecting: how,
    sources,
    localFiles: localFilesOf([directory]),
    leases: createLeases({ ...leaseRows(store.db), now: Date.now }),
    locks,
    limits,
    now: Date.now,
    log: silentLog,
    onState: async (state) => states.push(state),
  })
  opened.use(watcher)
  await until(
    () => watcher.state()?.lastFlushAt,
    (at) => typeof at === 'string',
  )
  const stack = opened.move()
  return {
    ...collecting,
    sources,
    sourcesPath: file,
    path,
    watcher,
    states,
    numbers: async () =>
      (await collecting.texts()).map((text) => Number(/n(\d+)$/.exec(text)?.[1])).toSorted((a, b) => a - b),
    /** A run over the source during watching. */
    run: async () => {
      const [source] = (await sources.read()).entries
      if (!source) throw new TypeError('The sources file has no source.')
      const signal = new AbortController().signal
      return locks.use(source.id, { signal }, (held) => collectSource(how, { source, force: false, signal: held }))
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

test('the watcher tails configured sources from the start', async () => {
  await using watched = await withWatcher(quick)
  expect(watched.watcher.state()).toMatchObject({ running: true, sources: ['app'], buffered: 0 })
  await appendFile(watched.path, lines(0, 5))
  await until(watched.numbers, (numbers) => numbers.length === 5)
  await appendFile(watched.path, lines(5, 8))
  expect(await until(watched.numbers, (numbers) => numbers.length >= 8)).toEqual(range(0, 8))
})

test('the watcher flushes every 100 lines, and reports fewer as buffered', async () => {
  await using watched = await withWatcher(byLines)
  await appendFile(watched.path, lines(0, 60))
  await until(
    () => watched.watcher.state()?.buffered,
    (buffered) => buffered === 60,
  )
  expect(await watched.numbers()).toEqual([])
  await appendFile(watched.path, lines(60, 100))
  expect(await until(watched.numbers, (numbers) => numbers.length >= 100)).toEqual(range(0, 100))
})

test('by default, the watcher flushes every 10 s or 100 lines', () => {
  expect(watchLimits).toMatchObject({ lines: 100, milliseconds: 10_000 })
})

test('no line is lost or duplicated while a watched file is rotated, copied and truncated during runs', async () => {
  await using watched = await withWatcher(quick)
  const { path } = watched
  let written = 0
  const write = async (count: number) => {
    for (let end = written + count; written < end; written++) await appendFile(path, line(written))
  }
  for (let round = 0; round < 3; round++) {
    await write(150)
    const run = watched.run()
    await write(20)
    await rename(path, `${path}.${3 * round + 1}`)
    await appendFile(`${path}.${3 * round + 1}`, line(written++))
    await write(30)
    await run
    await until(watched.numbers, (numbers) => numbers.length >= written)
    await write(10)
    await copyFile(path, `${path}.${3 * round + 2}`)
    await truncate(path, 0)
    await write(5)
    await watched.run()
  }
  const numbers = await until(watched.numbers, (seen) => seen.length >= written)
  expect(numbers).toEqual(range(0, written))
})

test('the watcher ends without losing a line', async () => {
  await using watched = await withWatcher(byLines)
  await appendFile(watched.path, lines(0, 7))
  await until(
    () => watched.watcher.state()?.buffered,
    (buffered) => buffered === 7,
  )
  await watched.watcher[Symbol.asyncDispose]()
  expect(await watched.numbers()).toEqual(range(0, 7))
  expect(watched.watcher.state()).toBeUndefined()
  expect(watched.states.at(-1)).toMatchObject({ running: false })
})

test('a reload reads the configuration again without losing lines', async () => {
  await using watched = await withWatcher(byLines)
  await appendFile(watched.path, lines(0, 7))
  const other = join(watched.directory, 'logs', 'other.log')
  await writeFile(other, lines(50, 53))
  await watched.sources.append([{ id: 'other', path: other }])
  await watched.watcher.reload()
  expect(watched.watcher.state()?.sources).toEqual(['app', 'other'])
  await until(watched.numbers, (numbers) => numbers.length === 10)
  await writeFile(watched.sourcesPath, 'sources: [')
  await watched.watcher.reload()
  expect(watched.watcher.state()?.sources).toEqual(['app', 'other'])
  await writeFile(watched.sourcesPath, `sources:\n  - {id: other, path: ${other}}\n`)
  await watched.watcher.reload()
  expect(watched.watcher.state()?.sources).toEqual(['other'])
})

test('a source whose collector follows it is stored live, and is released for a run', async () => {
  const starts: string[][] = []
  /** A minimal journal: it continues from its checkpoint until its signal aborts. */
  const journald: Collectors['local']['journald'] = {
    collect: async function* ({ checkpoints }) {
      const from = Number((await checkpoints.get('cursor')) ?? 0)
      yield chunkOf(from, from + 1)
    },
    follow: async function* ({ checkpoints, signal }) {
      const from = Number((await checkpoints.get('cursor')) ?? 0)
      starts.push([String(from)])
      yield chunkOf(from, from + 3)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    },
  }
  const stream = { sourceId: 'journal', reference: 0 }
  const chunkOf = (from: number, to: number): Chunk => ({
    stream: { ...stream, firstLine: from + 1 },
    bytes: Uint8Array.from(Buffer.from(lines(from, to))),
    checkpoint: { key: 'cursor', state: String(to) },
  })
  await using watched = await withWatcher(quick, { journald })
  await writeFile(watched.sourcesPath, 'sources:\n  - {id: journal, glean_type: journald}\n')
  await watched.watcher.reload()
  await until(watched.numbers, (numbers) => numbers.length === 3)
  await watched.run()
  const numbers = await until(watched.numbers, (seen) => seen.length >= 7)
  expect(numbers).toEqual(range(0, 7))
  expect(starts).toEqual([['0'], ['4']])
})

test('what keeps a source from being watched is a problem of the state until it is watched again', async () => {
  let isReachable = false
  const journald: Collectors['local']['journald'] = {
    collect: () => {
      throw new Error('A run is not expected.')
    },
    follow: async function* () {
      if (!isReachable) throw new Error('The journal cannot be opened.')
      yield {
        stream: { sourceId: 'journal', reference: 0, firstLine: 1 },
        bytes: Uint8Array.from(Buffer.from(lines(0, 3))),
        checkpoint: { key: 'cursor', state: '3' },
      }
    },
  }
  await using watched = await withWatcher(quick, { journald })
  await watched.sources.append([{ id: 'journal', glean_type: 'journald' }])
  await watched.watcher.reload()
  const problems = () => watched.watcher.state()?.problems
  const problem = 'The source "journal" cannot be watched at the moment: The journal cannot be opened.'
  await expect.poll(problems).toEqual([problem])
  await watched.watcher.reload()
  expect(watched.states.at(-1)?.problems).toEqual([problem])
  isReachable = true
  await expect.poll(problems).toEqual([])
  expect(watched.watcher.state()?.sources).toEqual(['app', 'journal'])
})
