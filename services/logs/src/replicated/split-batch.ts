import { decodeBatch, encodeBatch } from '../entries/entry-batch.ts'

/** Copies a range of a batch to a batch of its own. */
const cut = (batch: ArrayBuffer, from: number, to: number): ArrayBuffer => {
  const whole = decodeBatch(batch)
  const textStart = from === 0 ? 0 : (whole.textEnds[from - 1] ?? 0)
  return encodeBatch({
    ingestTime: whole.ingestTime,
    origins: whole.origins,
    count: to - from,
    sender: new Map(
      [...whole.sender]
        .filter(([entry]) => entry >= from && entry < to)
        .map(([entry, details]) => [entry - from, details]),
    ),
    times: whole.times.subarray(from, to),
    sequences: whole.sequences.subarray(from, to),
    textEnds: whole.textEnds.slice(from, to).map((end) => end - textStart),
    repeats: whole.repeats.subarray(from, to),
    originOf: whole.originOf.subarray(from, to),
    flags: whole.flags.subarray(from, to),
    messageStarts: whole.messageStarts.subarray(from, to),
    messageEnds: whole.messageEnds.subarray(from, to),
    keys: whole.keys.subarray(from * 16, to * 16),
    text: whole.text.subarray(textStart, whole.textEnds[to - 1] ?? textStart),
  })
}

/** Splits a batch into parts of at most `maxBytes`, in order; a larger part has a single entry. */
export const splitBatch = (batch: ArrayBuffer, maxBytes: number): ArrayBuffer[] => {
  const { count } = decodeBatch(batch)
  if (batch.byteLength <= maxBytes || count <= 1) return [batch]
  const middle = count >>> 1
  return [cut(batch, 0, middle), cut(batch, middle, count)].flatMap((half) => splitBatch(half, maxBytes))
}
