import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { openStore } from '@trellis/kit/store'
import { postgresMissing } from '@trellis/test/support/postgres'
import { natsMissing, s3Missing } from '@trellis/test/support/programs'
import { waitFor } from '@trellis/test/support/wait-for'
import { describe, expect, test } from 'vitest'
import { logsMigrations } from '../schemas.ts'
import { batchOf } from '../segments/store-for-tests.ts'
import { entryMessages, type Message } from './message.ts'
import { numbered } from './numbered-lines-for-tests.ts'
import { createKeyValue } from './replicas-for-tests.ts'
import { countOf, describeReplicas, drawnReplicas } from './replicas-suite.ts'

const serversMissing = natsMissing ?? s3Missing ?? postgresMissing
if (drawnReplicas(serversMissing).includes('in one process'))
  describeReplicas('one bus in memory, a folder and an SQLite file', createKeyValue)

const bytesIn = async (directory: string) => {
  const sizes = await Promise.all(
    (await readdir(directory)).map(async (name) => (await stat(join(directory, name))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
const noise = (amount: number, from: number) =>
  numbered(amount, from).map((line, index) => ({
    ...line,
    text: `${line.text} ${Array.from({ length: 20 }, (_, word) => ((from + index) * 7919 * (word + 1)).toString(36)).join(' ')}`,
  }))

describe('copies of segments on a machine', () => {
  test('stay within their disk limit when two replicas share a folder, and searches find evicted entries', async () => {
    await using dependencies = await createKeyValue()
    const local = { directory: join(dependencies.directory, 'local'), bytes: 300_000 }
    await using one = await dependencies.open({ local })
    await using other = await dependencies.open({ local })
    for (let round = 0; round < 8; round++) {
      await [one, other][round % 2]?.engine.ingest(batchOf(noise(2_048, round * 2_048)))
      for (const replica of [one, other]) {
        expect(await countOf(replica, 'many')).toBe((round + 1) * 2_048)
        expect(await countOf(replica, 'n7')).toBe(1)
      }
    }
    const segments = await bytesIn(join(dependencies.directory, 'files', 'segments'))
    expect(segments).toBeGreaterThan(local.bytes * 2)
    // Each of the two replicas may be about to evict for its last write.
    expect(await bytesIn(local.directory)).toBeLessThan(local.bytes + (segments / 8) * 4)
    expect([...one.problems, ...other.problems]).toEqual([])
  })

  test.each(['cut short', 'changed', 'removed'])('are fetched again after they were %s', async (how) => {
    await using dependencies = await createKeyValue()
    const local = { directory: join(dependencies.directory, 'local'), bytes: 10_000_000 }
    // Without a cache every search reads the file.
    const limits = { documents: 8_192, textBytes: 4 * 1024 * 1024, cacheBytes: 0 }
    await using one = await dependencies.open({ local, limits })
    await one.engine.ingest(batchOf(numbered(2_000)))
    expect(await countOf(one, 'n7')).toBe(1)
    for (const name of await readdir(local.directory)) {
      const path = join(local.directory, name)
      const whole = await readFile(path)
      if (how === 'removed') await rm(path)
      else if (how === 'cut short') await writeFile(path, whole.subarray(0, 1_000))
      else
        await writeFile(
          path,
          whole.map((byte, index) => (index % 997 === 0 ? byte ^ 1 : byte)),
        )
    }
    expect(await countOf(one, 'n7')).toBe(1)
    expect(await countOf(one, 'many')).toBe(2_000)
    expect(one.problems).toEqual([])
  })
})

test.each(['changed', 'removed'])(
  'a segment that was %s is reported, and all replicas, including new ones, search the others',
  async (how) => {
    await using dependencies = await createKeyValue()
    const limits = { documents: 8_192, textBytes: 4 * 1024 * 1024, cacheBytes: 0 }
    await using one = await dependencies.open({ limits })
    await one.engine.ingest(batchOf(numbered(1_000)))
    const folder = join(dependencies.directory, 'files', 'segments')
    const [victim = ''] = await readdir(folder)
    await one.engine.ingest(batchOf(numbered(500, 5_000)))
    expect(await countOf(one, 'many')).toBe(1_500)
    const path = join(folder, victim)
    if (how === 'removed') await rm(path)
    else
      await writeFile(
        path,
        (await readFile(path)).map((byte, index) => (index % 997 === 0 ? byte ^ 1 : byte)),
      )
    await using other = await dependencies.open({ limits })
    for (const replica of [one, other]) {
      expect(await countOf(replica, 'many')).toBe(500)
      expect(await countOf(replica, 'many')).toBe(500)
      expect(replica.problems).toEqual([expect.stringContaining(victim)])
      expect(await replica.engine.ingest(batchOf(numbered(500, 5_000)))).toEqual({ entries: 0, duplicates: 500 })
    }
  },
)

test('a sender gets a retryable error while the store is blocked, and its entries are stored once', async () => {
  await using dependencies = await createKeyValue()
  await using patient = await dependencies.open()
  await using impatient = await dependencies.open({ waitMilliseconds: 300 })
  await using holder = await openStore({ ...dependencies.shared.store, name: 'logs', migrations: logsMigrations })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>()
  const holding = holder.db.transaction().execute(async () => {
    held()
    await released
  })
  await isHeld
  await expect(impatient.engine.ingest(batchOf(numbered(10)))).rejects.toMatchObject({
    kind: 'unavailable',
    retryAfterSeconds: 5,
  })
  release()
  await holding
  const { entries, duplicates } = await patient.engine.ingest(batchOf(numbered(20)))
  expect(entries + duplicates).toBe(20)
  await Promise.all([patient.engine.flush(), impatient.engine.flush()])
  expect(await countOf(patient, 'many')).toBe(20)
})

/** The threads that start during the test, and those of them that still run. */
const watchThreads = () => {
  const started: Worker[] = []
  const running = new Set<Worker>()
  const note = (message: unknown) => {
    const { worker } = message as { worker: Worker }
    started.push(worker)
    running.add(worker)
    worker.once('exit', () => running.delete(worker))
  }
  subscribe('worker_threads', note)
  return { started, running, [Symbol.dispose]: () => void unsubscribe('worker_threads', note) }
}

test('idle threads end without losing anything', async () => {
  using threads = watchThreads()
  await using dependencies = await createKeyValue()
  await using one = await dependencies.open({ idleMilliseconds: 1 })
  for (let round = 0; round < 4; round++) {
    const before = threads.started.length
    await one.engine.ingest(batchOf(numbered(10, round * 10)))
    expect(threads.started.length).toBeGreaterThan(before)
    await waitFor(() => expect(threads.running.size).toBe(0))
    expect(await countOf(one, 'many')).toBe((round + 1) * 10)
    await waitFor(() => expect(threads.running.size).toBe(0))
  }
  expect(one.problems).toEqual([])
})

test('a search whose caller aborts rejects with the abort reason', async () => {
  await using dependencies = await createKeyValue()
  await using one = await dependencies.open()
  await one.engine.ingest(batchOf(numbered(1_000)))
  const leaving = new AbortController()
  const request = { query: null, filters: {}, limit: 10, order: 'time', withFacets: true } as const
  const left = one.engine.search(request, leaving.signal)
  leaving.abort(new Error('the reader left'))
  await expect(left).rejects.toThrow('the reader left')
  expect((await one.engine.search(request)).total).toBe(1_000)
})

test('a deletion or severity change whose caller aborts while it waits for the catalogue changes nothing', async () => {
  await using dependencies = await createKeyValue()
  await using one = await dependencies.open()
  let leaving = new AbortController()
  const leave = () => leaving.abort(new Error('the caller left'))
  await using other = await dependencies.open({
    catalogue: {
      ...one.catalogue,
      deleteSource: (source, left) => {
        leave()
        return one.catalogue.deleteSource(source, left)
      },
      override: (override, after, left) => {
        leave()
        return one.catalogue.override(override, after, left)
      },
    },
  })
  await one.engine.ingest(batchOf([{ text: 'one of many', entryId: 'one' }]))
  const version = await one.catalogue.version()
  await expect(other.engine.deleteSource('test', leaving.signal)).rejects.toThrow('the caller left')
  leaving = new AbortController()
  await expect(other.engine.setSeverity('one', 'CRITICAL', leaving.signal)).rejects.toThrow('the caller left')
  expect(await one.catalogue.version()).toBe(version)
  expect((await one.catalogue.changes(undefined))?.amendments).toMatchObject({ tombstones: [], overrides: [] })
  expect(await countOf(one, 'many')).toBe(1)
  expect(await one.engine.deleteSource('test', new AbortController().signal)).toBe(1)
})

test('the duplicate check of entry ids without a time fetches no segment', async () => {
  await using dependencies = await createKeyValue()
  const foreign = (amount: number, from: number) =>
    numbered(amount, from).map((line, index) => ({ ...line, entryId: `own-${from + index}` }))
  {
    await using one = await dependencies.open()
    for (let round = 0; round < 4; round++) await one.engine.ingest(batchOf(foreign(500, round * 500)))
  }
  const local = { directory: join(dependencies.directory, 'local'), bytes: 10_000_000 }
  await using other = await dependencies.open({ local })
  expect(await other.engine.ingest(batchOf(foreign(500, 10_000)))).toEqual({ entries: 500, duplicates: 0 })
  const own = (await other.catalogue.changes(undefined))?.added.at(-1)?.key.replaceAll('/', '_')
  expect(await readdir(local.directory)).toEqual([own])
  expect(await other.engine.ingest(batchOf(foreign(700, 1_800)))).toEqual({ entries: 500, duplicates: 200 })
})

test('one replica at a time deletes expired entries and reclaims the space of deleted ones', async () => {
  await using dependencies = await createKeyValue()
  await using one = await dependencies.open({ graceMilliseconds: 0 })
  await using other = await dependencies.open({ graceMilliseconds: 0 })
  const day = 86_400_000
  const now = Date.now()
  await one.engine.ingest(batchOf(numbered(20), now - 10 * day))
  await other.engine.ingest(batchOf(numbered(20, 100), now))
  await other.engine.ingest(batchOf([{ text: 'of another source', sourceId: 'other' }], now))
  const request = { retention: { days: 5, bytes: null, sources: [] }, now, isThorough: false }
  {
    await using held = await other.catalogue.leases.take('maintenance', new AbortController().signal)
    expect(held).toBeDefined()
    expect(await one.engine.maintain(request)).toBeUndefined()
  }
  expect(await one.engine.maintain(request)).toMatchObject({ entries: 20, files: 1 })
  expect(await other.engine.maintain(request)).toMatchObject({ entries: 0 })
  expect(await countOf(other, 'many')).toBe(20)
  expect(await one.engine.deleteSource('test')).toBe(20)
  expect(await countOf(other, 'many')).toBe(0)
  await one.engine.maintain({ ...request, isThorough: true })
  const rows = (await one.catalogue.changes(undefined))?.added ?? []
  expect(rows.reduce((sum, { documents }) => sum + documents, 0)).toBe(1)
  expect([...one.problems, ...other.problems]).toEqual([])
})

test('an unreadable message is set aside once, and later ones are indexed', async () => {
  await using dependencies = await createKeyValue()
  await using one = await dependencies.open()
  const damaged = batchOf(numbered(10, 100))
  new Uint8Array(damaged).fill(0xff, 12, 60)
  await dependencies.shared.bus.enqueue(entryMessages, {
    id: 'damaged',
    sender: 'elsewhere',
    sentAfter: 0,
    content: { kind: 'batch', batch: damaged },
  })
  expect(await one.engine.ingest(batchOf(numbered(10)))).toEqual({ entries: 10, duplicates: 0 })
  await waitFor(() => expect(one.setAside).toEqual([expect.stringContaining('was set aside')]))
  // Unacknowledged messages are redelivered to the next replica.
  await one[Symbol.asyncDispose]()
  await using other = await dependencies.open()
  expect(await other.engine.ingest(batchOf(numbered(20)))).toEqual({ entries: 10, duplicates: 10 })
  await other.engine.flush()
  expect(other.setAside).toEqual([])
  expect([...one.problems, ...other.problems]).toEqual([])
})

test('a sender receives an error when its batch cannot be indexed', async () => {
  await using dependencies = await createKeyValue()
  await using one = await dependencies.open()
  const bus = dependencies.shared.bus
  await using other = await dependencies.open({
    bus: {
      ...bus,
      // One replica sends while the other one is the only consumer.
      work: (_queue, _handle, { signal }) => once(signal, 'abort').then(() => undefined),
      enqueue: (queue, value, id) => {
        const message = value as Message
        if (message.content.kind === 'batch') new Uint8Array(message.content.batch).fill(0xff, 12, 60)
        return bus.enqueue(queue, value, id)
      },
    },
  })
  await expect(other.engine.ingest(batchOf(numbered(10)))).rejects.toThrow('The head of a batch of entries is damaged.')
  expect(one.setAside).toHaveLength(1)
})
