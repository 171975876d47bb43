import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { sample } from '@trellis/test/support/exploration'
import { modulePath } from '@trellis/test/support/module-path'
import { describe, expect, test } from 'vitest'
import { parseQuery } from '../search/query.ts'
import type { SearchRequest } from '../search/search.ts'
import { batchOf } from '../segments/store-for-tests.ts'
import { chunkOf, linesInAll, totalChunks } from '../threads/synthetic-file-for-tests.ts'
import { numbered } from './numbered-lines-for-tests.ts'
import type { Replica, ReplicaOptions, Shared } from './replicas-for-tests.ts'

export type Testbed = AsyncDisposable & {
  shared: Shared
  /** How another process reaches the bus; undefined where it cannot. */
  nats: { address: string; prefix: string } | undefined
  open: (options?: ReplicaOptions) => Promise<Replica>
}

const searchFor = (q: string, limit = 10): SearchRequest => ({
  query: parseQuery(q),
  filters: {},
  limit,
  order: 'time',
  withFacets: false,
})
export const countOf = async ({ engine }: Replica, q: string) => (await engine.search(searchFor(q))).total

/** The numbers of all stored lines, ascending, with duplicates. */
export const numbersIn = async ({ engine }: Replica): Promise<number[]> => {
  const numbers: number[] = []
  let after: SearchRequest['after'] | null
  do {
    const page = await engine.search({ ...searchFor('many', 1_000), ...(after && { after }) })
    for (const { entry } of page.entries) numbers.push(entry.sequence - 1)
    after = page.next
  } while (after)
  return numbers.toSorted((a, b) => a - b)
}

const upload = async ({ engine }: Replica) => {
  const file = await engine.ingestFile({ source: { sourceId: 'made', branch: null, tenantId: null }, reference: 0 })
  for (let chunk = 0; chunk < totalChunks; chunk++) await file.push(chunkOf(chunk))
  return file.end()
}

/** Waits until a condition holds; the test's own timeout limits it. */
const until = async (holds: () => boolean | Promise<boolean>) => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** The backends of the suite: a run draws one of them by the seed. */
const backends = ['in one process', 'NATS, S3 and Postgres', 'NATS and Postgres alone'] as const
const onServers: readonly string[] = backends.slice(1)

/** The backends that a run draws from those that this machine has. */
export const drawnReplicas = (serversMissing: string | undefined): readonly (typeof backends)[number][] => {
  const there = backends.filter((backend) => serversMissing === undefined || !onServers.includes(backend))
  return sample(there, 1, 'replicas of the log engine')
}

/** The contract of replicas on any backend. */
export const describeReplicas = (name: string, createTestbed: () => Promise<Testbed>) => {
  describe(`replicas of the log engine on ${name}`, () => {
    test('entries that one replica stored are immediately found through the other', async () => {
      await using testbed = await createTestbed()
      await using one = await testbed.open()
      await using other = await testbed.open()
      for (let round = 0; round < 5; round++) {
        const sent = batchOf(numbered(10, round * 10))
        expect(await one.engine.ingest(sent)).toEqual({ entries: 10, duplicates: 0 })
        expect(await countOf(other, 'many')).toBe((round + 1) * 10)
      }
      const [found] = (await other.engine.search(searchFor('n42'))).entries
      expect(await one.engine.find(found?.entry.entryId ?? '')).toEqual(found?.entry)
      expect([...one.problems, ...other.problems]).toEqual([])
    })

    test('a file uploaded through one replica is all duplicates through the other', async () => {
      await using testbed = await createTestbed()
      await using one = await testbed.open()
      await using other = await testbed.open()
      expect((await upload(one)).counts).toMatchObject({ lines: linesInAll, entries: linesInAll, duplicates: 0 })
      expect(await countOf(other, 'made')).toBe(linesInAll)
      expect((await upload(other)).counts).toMatchObject({ lines: linesInAll, entries: 0, duplicates: linesInAll })
      expect(await countOf(one, `n${linesInAll - 1}`)).toBe(1)
      expect([...one.problems, ...other.problems]).toEqual([])
    })

    test('the same file sent to both replicas concurrently is stored once, and their counts add up', async () => {
      await using testbed = await createTestbed()
      await using one = await testbed.open()
      await using other = await testbed.open()
      const results = await Promise.all([upload(one), upload(other)])
      expect(results.reduce((sum, { counts }) => sum + counts.entries, 0)).toBe(linesInAll)
      expect(results.reduce((sum, { counts }) => sum + counts.duplicates, 0)).toBe(linesInAll)
      expect(await countOf(one, 'made')).toBe(linesInAll)
      expect(await countOf(other, 'made')).toBe(linesInAll)
      expect([...one.problems, ...other.problems]).toEqual([])
    })

    test('searches see all acknowledged entries once while segments are merged and removed', async () => {
      await using testbed = await createTestbed()
      const options = { graceMilliseconds: 0, upkeepMilliseconds: 50 }
      await using one = await testbed.open(options)
      await using other = await testbed.open(options)
      const rounds = 40
      let acknowledged = 0
      let isDone = false
      const look = async (replica: Replica) => {
        let looks = 0
        while (!isDone) {
          const before = acknowledged
          const numbers = await numbersIn(replica)
          expect(new Set(numbers).size).toBe(numbers.length)
          expect(numbers.length).toBeGreaterThanOrEqual(before)
          looks++
        }
        return looks
      }
      const send = async (replica: Replica, parity: number) => {
        for (let round = parity; round < rounds; round += 2) {
          await replica.engine.ingest(batchOf(numbered(25, round * 25)))
          acknowledged += 25
        }
      }
      const looking = Promise.all([look(one), look(other)])
      await Promise.all([send(one, 0), send(other, 1)])
      await until(async () => ((await one.catalogue.changes(undefined))?.added.length ?? 0) < 16)
      await until(async () => (await one.catalogue.replacedBefore(Date.now() + 60_000)).length === 0)
      isDone = true
      for (const looks of await looking) expect(looks).toBeGreaterThan(0)
      expect(await numbersIn(one)).toEqual(Array.from({ length: rounds * 25 }, (_, number) => number))
      expect([...one.problems, ...other.problems]).toEqual([])
    })

    test('followers of any replica receive each entry once, in one order, and the number of missed ones', async () => {
      await using testbed = await createTestbed()
      await using one = await testbed.open()
      await using other = await testbed.open()
      await one.engine.ingest(batchOf(numbered(5, 100_000)))
      const received = [one, other].map(() => ({ numbers: [] as number[], missed: 0 }))
      const stops = await Promise.all(
        [one, other].map(({ engine }, index) =>
          engine.follow(({ entries, missed }) => {
            for (const { sequence } of entries) received[index]?.numbers.push(sequence - 1)
            if (received[index]) received[index].missed += missed
          }),
        ),
      )
      for (let round = 0; round < 20; round++)
        await [one, other][round % 2]?.engine.ingest(batchOf(numbered(10, round * 10)))
      await other.engine.ingest(batchOf(numbered(3_000, 1_000)))
      await until(() => received.every(({ numbers, missed }) => numbers.length + missed >= 3_200))
      for (const stop of stops) await stop()
      const all = [...Array.from({ length: 200 }, (_, n) => n), ...Array.from({ length: 1_000 }, (_, n) => 3_000 + n)]
      expect(received).toEqual([
        { numbers: all, missed: 2_000 },
        { numbers: all, missed: 2_000 },
      ])
      expect([...one.problems, ...other.problems]).toEqual([])
    })

    test('killing a replica loses no acknowledged entry and duplicates none', async () => {
      await using testbed = await createTestbed()
      await using survivor = testbed.nats === undefined ? undefined : await testbed.open()
      const { files, store } = testbed.shared
      const linesPerBatch = 50
      const batches = 200
      const victimOptions = JSON.stringify({ files, store, nats: testbed.nats, linesPerBatch, batches, inHand: 8 })
      const victim = await modulePath('services/logs/src/replicated/kill-victim.ts')
      const child = spawn(process.execPath, [victim, victimOptions], { stdio: ['ignore', 'pipe', 'inherit'] })
      const acknowledged = new Set<number>()
      for await (const line of createInterface({ input: child.stdout })) {
        acknowledged.add(Number(line))
        if (acknowledged.size === 40) child.kill('SIGKILL')
      }
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      expect(child.signalCode).toBe('SIGKILL')
      await using opened = survivor ? undefined : await testbed.open()
      const replica = survivor ?? opened
      if (!replica) throw new Error('One of them is there.')
      const stored = new Set(await numbersIn(replica))
      for (const batch of acknowledged)
        for (let line = 0; line < linesPerBatch; line++) expect(stored.has(batch * linesPerBatch + line)).toBe(true)
      // Sends everything again, as a sender would: unacknowledged batches may have been stored, too.
      const results = await Promise.all(
        Array.from({ length: batches }, (_, batch) =>
          replica.engine.ingest(batchOf(numbered(linesPerBatch, batch * linesPerBatch))),
        ),
      )
      for (const { entries, duplicates } of results) expect(entries + duplicates).toBe(linesPerBatch)
      expect(await numbersIn(replica)).toEqual(Array.from({ length: batches * linesPerBatch }, (_, number) => number))
      expect(replica.problems).toEqual([])
    })
  })
}
