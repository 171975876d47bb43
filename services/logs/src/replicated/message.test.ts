import { expect, test } from 'vitest'
import { decodeBatch } from '../entries/entry-batch.ts'
import { batchOf } from '../segments/store-for-tests.ts'
import { entryMessages } from './message.ts'
import { splitBatch } from './split-batch.ts'

const lines = Array.from({ length: 41 }, (_, index) => ({
  text: `line ${index} ${'é'.repeat(index)}`,
  sequence: index,
  time: index * 1000,
  sourceId: `source ${index % 3}`,
  ...(index % 7 === 0 && { entryId: `own ${index}` }),
}))

/** All fields of each entry of a batch. */
const entriesOf = (buffer: ArrayBuffer) => {
  const batch = decodeBatch(buffer)
  return Array.from({ length: batch.count }, (_, entry) => ({
    text: Buffer.from(batch.text)
      .subarray(entry === 0 ? 0 : batch.textEnds[entry - 1], batch.textEnds[entry])
      .toString(),
    origin: batch.origins[batch.originOf[entry] ?? 0],
    sender: batch.sender.get(entry),
    sequence: batch.sequences[entry],
    time: batch.times[entry],
    flags: batch.flags[entry],
    repeats: batch.repeats[entry],
    ingestTime: batch.ingestTime,
    key: Buffer.from(batch.keys).toString('hex', entry * 16, entry * 16 + 16),
  }))
}

test.each([200, 1_000, 3_000, 1_000_000])('a batch split into parts of %d bytes has the same entries', (maxBytes) => {
  const whole = batchOf(lines)
  const parts = splitBatch(whole, maxBytes)
  expect(parts.flatMap(entriesOf)).toEqual(entriesOf(whole))
  for (const part of parts) expect(part.byteLength <= maxBytes || decodeBatch(part).count === 1).toBe(true)
  if (maxBytes < whole.byteLength) expect(parts.length).toBeGreaterThan(1)
})

test('a message decodes as encoded, at any offset of a buffer', () => {
  const batch = batchOf(lines)
  const bytes = entryMessages.encode({ id: 'id', sender: 'me', sentAfter: 7, content: { kind: 'batch', batch } })
  const shifted = new Uint8Array(bytes.length + 3)
  shifted.set(bytes, 3)
  const read = entryMessages.decode(shifted.subarray(3))
  expect(read).toMatchObject({ id: 'id', sender: 'me', sentAfter: 7, content: { kind: 'batch' } })
  if (read.content.kind !== 'batch') throw new Error('It is a batch.')
  expect(entriesOf(read.content.batch)).toEqual(entriesOf(batch))
  const file = { id: 'id', sender: 'me', sentAfter: 7, content: { kind: 'file' as const, key: 'inbox/id' } }
  expect(entryMessages.decode(entryMessages.encode(file))).toEqual(file)
})

test.each([0, 3, 4, 20])('%d bytes that are no message decode to an unreadable one instead of throwing', (length) => {
  expect(entryMessages.decode(new Uint8Array(length).fill(255)).content).toMatchObject({ kind: 'unreadable' })
  const whole = entryMessages.encode({
    id: 'id',
    sender: 'me',
    sentAfter: 7,
    content: { kind: 'file', key: 'inbox/id' },
  })
  expect(entryMessages.decode(whole.subarray(0, length)).content).toMatchObject({ kind: 'unreadable' })
})
