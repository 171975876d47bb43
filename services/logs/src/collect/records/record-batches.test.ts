import { expect, test } from 'vitest'
import { decodeBatch } from '../../entries/entry-batch.ts'
import { utc } from '../../formats/zone.ts'
import type { Batch } from '../collector.ts'
import type { CollectedRecord } from './record.ts'
import { batchRecords, type ReadRecord, type RecordBatchOptions } from './record-batches.ts'

const start = Date.parse('2026-03-01T09:15:02Z')

const source = { tenantId: null, format: undefined, multiline: undefined }

const read = (text: string, index: number, more: Partial<CollectedRecord> = {}): ReadRecord => ({
  record: {
    sourceId: 'docker:attic:app',
    stream: 'stdout',
    text,
    time: start + index,
    sequence: index,
    severity: undefined,
    hint: undefined,
    fields: undefined,
    ...more,
  },
  checkpoint: { key: 'app', state: String(index) },
})

const textsOf = (buffer: ArrayBuffer): string[] => {
  const { text, textEnds, count } = decodeBatch(buffer)
  return Array.from({ length: count }, (_, index) =>
    Buffer.from(text.subarray(index === 0 ? 0 : textEnds[index - 1], textEnds[index])).toString(),
  )
}

async function* each(reads: readonly ReadRecord[]) {
  yield* reads
}

const batchesOf = async (reads: readonly ReadRecord[], more: Partial<RecordBatchOptions> = {}) => {
  const batches: (Omit<Batch, 'batch'> & { texts: string[] })[] = []
  const options = { source, time: { zone: utc, reference: start }, now: () => start, ...more }
  for await (const { batch, ...counts } of batchRecords(each(reads), options))
    batches.push({ ...counts, texts: batch ? textsOf(batch) : [] })
  return batches
}

/** Traces of 40 lines after seven other lines, so that any limit of a batch falls into some of them. */
const linesWithTraces = Array.from({ length: 50 }, (_, number) => [
  ...Array.from({ length: 7 }, (_, line) => `2026-03-01 09:15:02 INFO served ${number} ${line}`),
  `2026-03-01 09:15:02 ERROR failed ${number}`,
  `java.lang.IllegalStateException: ${number}`,
  ...Array.from({ length: 37 }, (_, line) => `\tat com.example.Basket.open${line}(Basket.java:42)`),
  'Caused by: java.io.IOException: no',
]).flat()
const flush = { milliseconds: 600_000, records: 100 }

test('a trace is one entry, wherever a batch ends, and no position is within an entry', async () => {
  const reads = linesWithTraces.map((line, index) => read(line, index))
  const batches = await batchesOf(reads, { flush })
  const texts = batches.flatMap(({ texts }) => texts)
  expect(batches.length).toBeGreaterThan(10)
  expect(texts).toHaveLength(50 * 8)
  expect(texts.join('\n')).toBe(linesWithTraces.join('\n'))
  expect(batches.reduce((sum, { lines }) => sum + lines, 0)).toBe(linesWithTraces.length)
  expect(batches.at(-1)?.checkpoint?.state).toBe(String(linesWithTraces.length - 1))
  for (const [number, { checkpoint }] of batches.entries()) {
    const stored = batches.slice(0, number + 1).flatMap((batch) => batch.texts)
    const next = await batchesOf(reads.slice(Number(checkpoint?.state) + 1), { flush })
    expect([...stored, ...next.flatMap((batch) => batch.texts)]).toEqual(texts)
  }
})

test('reading may continue after any batch, though streams alternate: nothing is missing or in two entries', async () => {
  const reads = linesWithTraces.flatMap((line, index) => [
    read(line, 2 * index),
    read(`warned ${index}`, 2 * index + 1, { stream: 'stderr' }),
  ])
  const batches = await batchesOf(reads, { flush })
  const all = batches.flatMap((batch) => batch.texts)
  expect(all).toHaveLength(50 * 8 + linesWithTraces.length)
  for (const [number, { checkpoint }] of batches.entries()) {
    const stored = batches.slice(0, number + 1).flatMap((batch) => batch.texts)
    const next = await batchesOf(reads.slice(Number(checkpoint?.state) + 1), { flush })
    expect([...stored, ...next.flatMap((batch) => batch.texts)].toSorted()).toEqual(all.toSorted())
  }
})

test('an entry that gets no more lines is stored after two intervals at the latest', async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  async function* quiet() {
    yield read('started', 0, { time: start + 3_600_000 })
    await ended
  }
  const options = { source, time: { zone: utc, reference: start }, now: () => start }
  const batches = batchRecords(quiet(), { ...options, flush: { milliseconds: 5, records: 100 } })
  const { value } = await batches.next()
  expect(value).toMatchObject({ entries: 1, checkpoint: { state: '0' } })
  end()
  expect(await batches.next()).toMatchObject({ done: true })
})
