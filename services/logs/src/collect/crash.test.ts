import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomFrom, runSeed } from '@trellis/test/support/exploration'
import { modulePath } from '@trellis/test/support/module-path'
import { type Kysely, sql } from 'kysely'
import { expect, test } from 'vitest'
import type { CheckpointTables } from './checkpoint-store.ts'
import { collectSource } from './collect-source.ts'
import { fileSource, openCollecting, withCollecting } from './collecting-for-tests.ts'

const line = (number: number) => `2026-03-01T09:15:${String(number % 60).padStart(2, '0')}Z INFO line n${number}\n`
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => line(from + index)).join('')
const numbersOf = (texts: readonly string[]) =>
  texts.map((text) => Number(/n(\d+)$/.exec(text)?.[1])).toSorted((a, b) => a - b)
const range = (to: number) => Array.from({ length: to }, (_, index) => index)

test('a process killed during runs over growing and rotated files neither loses nor duplicates lines', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-crash-'))
  const data = join(directory, 'data')
  const path = join(directory, 'app.log')
  // The time of each kill and the amount written before it depend on the seed of the run.
  const random = randomFrom(runSeed)
  let written = 0
  const write = async (count: number) => {
    await appendFile(path, lines(written, written + count))
    written += count
  }
  await write(40_000)
  const victim = await modulePath('services/logs/src/collect/kill-victim.ts')
  for (let round = 0; round < 6; round++) {
    const child = spawn(process.execPath, [victim, data, path], { stdio: ['pipe', 'pipe', 'inherit'] })
    const ended = once(child, 'exit')
    await once(child.stdout, 'data')
    // Once after a complete run, otherwise at any time: before anything is stored, between two runs, or during one.
    if (round === 3) await once(child.stdout, 'data')
    else await sleep(random() * 2_000)
    await write(1_000 + Math.floor(random() * 3_000))
    if (round % 2 === 1) {
      await rename(path, `${path}.${round}`)
      await write(500)
    }
    await sleep(random() * 700)
    child.kill('SIGKILL')
    await ended
  }
  {
    await using opened = await openCollecting(data)
    expect((await opened.texts()).length).toBeGreaterThan(0)
    await opened.glean(fileSource({ id: 'app', path }))
    expect(numbersOf(await opened.texts())).toEqual(range(written))
  }
  await rm(directory, { recursive: true })
})

type Db = Kysely<CheckpointTables>

/** Fills the database, as a full disk would. */
const fillDatabase = async (db: Db) => {
  await sql`pragma max_page_count = 1`.execute(db)
  const add = (number: number, bytes: number) =>
    db
      .insertInto('log_checkpoints')
      .values({ source: 'ballast', key: `${bytes}-${number}`, state: 'x'.repeat(bytes), updated_at: 0 })
      .execute()
  for (const bytes of [4_000, 400, 1]) {
    for (let number = 0; ; number++) {
      const isFull = await add(number, bytes).then(
        () => false,
        () => true,
      )
      if (isFull) break
    }
  }
}
const emptyDatabase = async (db: Db) => {
  await sql`pragma max_page_count = 1000000000`.execute(db)
  await db.deleteFrom('log_checkpoints').where('source', '=', 'ballast').execute()
}

test('if a full disk prevents a checkpoint, the run fails, and the next one stores no duplicates', async () => {
  await using opened = await withCollecting()
  await mkdir(join(opened.directory, 'logs'))
  const path = join(opened.directory, 'logs', 'app.log')
  await writeFile(path, lines(0, 3_000))
  const source = fileSource({ id: 'app', path })
  const { engine, collector } = opened
  const run = (isFull: boolean) => {
    const checkpoints = opened.checkpointsOf(source)
    /** The first checkpoint of a file is written before it is read; later ones fail. */
    const put: typeof checkpoints.put = async (checkpoint) => {
      if (isFull && !checkpoint.state.includes('"offset":0')) await fillDatabase(opened.store.db)
      await checkpoints.put(checkpoint)
    }
    return collectSource(
      { engine, collectors: { local: { file: collector } }, checkpointsOf: () => ({ ...checkpoints, put }) },
      { source, force: false, signal: new AbortController().signal },
    )
  }
  await expect(run(true)).rejects.toThrow(/full/)
  expect(numbersOf(await opened.texts())).toEqual(range(3_000))
  await emptyDatabase(opened.store.db)
  const { result } = await run(false)
  expect(result.counts).toMatchObject({ entries: 0, duplicates: 3_000 })
  await appendFile(path, line(3_000))
  expect((await run(false)).result.counts).toMatchObject({ lines: 1, entries: 1 })
})
