import { type EntryBatch, encodeBatch } from './entry-batch.ts'

/** The entries of a batch for which `removed` is not 1, in their order, as a new encoded batch. */
export const withoutEntries = (batch: EntryBatch, removed: Uint8Array): ArrayBuffer => {
  const remaining: number[] = []
  for (let entry = 0; entry < batch.count; entry++) if (removed[entry] !== 1) remaining.push(entry)
  const count = remaining.length
  const textOf = (entry: number) =>
    batch.text.subarray(entry === 0 ? 0 : (batch.textEnds[entry - 1] ?? 0), batch.textEnds[entry] ?? 0)
  const texts = remaining.map(textOf)
  let end = 0
  return encodeBatch({
    ingestTime: batch.ingestTime,
    origins: batch.origins,
    count,
    sender: new Map(
      remaining.flatMap((entry, index) => {
        const details = batch.sender.get(entry)
        return details ? [[index, details] as const] : []
      }),
    ),
    times: Float64Array.from(remaining, (entry) => batch.times[entry] ?? Number.NaN),
    sequences: Float64Array.from(remaining, (entry) => batch.sequences[entry] ?? 0),
    textEnds: Uint32Array.from(texts, (text) => {
      end += text.length
      return end
    }),
    repeats: Uint32Array.from(remaining, (entry) => batch.repeats[entry] ?? 1),
    originOf: Uint16Array.from(remaining, (entry) => batch.originOf[entry] ?? 0),
    flags: Uint8Array.from(remaining, (entry) => batch.flags[entry] ?? 0),
    messageStarts: Uint16Array.from(remaining, (entry) => batch.messageStarts[entry] ?? 0),
    messageEnds: Uint16Array.from(remaining, (entry) => batch.messageEnds[entry] ?? 0),
    keys: Uint8Array.from(Buffer.concat(remaining.map((entry) => batch.keys.subarray(entry * 16, entry * 16 + 16)))),
    text: Buffer.concat(texts),
  })
}
