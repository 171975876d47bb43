import type { TailFrame } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { StoredEntry } from '../entries/entry.ts'
import { begun, type Followed } from './frames.ts'
import { type EventSpan, type WrittenEvents, writtenEvents } from './written-events.ts'

/** Places in branches are from the reader's own request: a line end in one would begin a line of the stream. */
const oneLine = (text: string): string => text.replaceAll(/[\r\n\0]/g, '')

/** Spans as they lie behind each other; a reader of everything takes the bytes as they are, and so does the next one. */
const joined = (spans: readonly EventSpan[], events: WrittenEvents): Uint8Array => {
  const runs: { start: number; end: number }[] = []
  for (const { start, end } of spans) {
    const last = runs.at(-1)
    if (last?.end === start) last.end = end
    else runs.push({ start, end })
  }
  const parts = runs.map(({ start, end }) => events.bytes(start, end))
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
}

/** The same with the reader's places in other stores behind each place in this one. */
const joinedWith = (elsewhere: Buffer, spans: readonly EventSpan[], events: WrittenEvents): Uint8Array =>
  Buffer.concat(
    spans.flatMap(({ start, placeEnd, end }) => [
      events.bytes(start, placeEnd),
      elsewhere,
      events.bytes(placeEnd, end),
    ]),
  )

/**
 * Entries as the events of a stream (WHATWG HTML, section 9.2), each with the reader's place in this store and in the others, all as one
 * frame: a frame of its own for each would cost more than making it. `eventId` is the place behind the last of them.
 */
export const writeFollowed = (
  followed: Followed,
  eventId: string,
  isShown: (entry: StoredEntry) => boolean,
): TailFrame => {
  const { of, indexes, placeOf } = followed
  const elsewhere = oneLine(eventId.slice(placeOf(indexes.at(-1) ?? 0).length))
  const events = writtenEvents(followed)
  const spans: EventSpan[] = []
  for (const index of indexes) {
    const entry = of[index]
    if (entry && !isShown(entry)) spans.push(events.spanOf(index))
  }
  if (spans.length === 0) return begun(eventId)
  const text = elsewhere === '' ? joined(spans, events) : joinedWith(Buffer.from(elsewhere), spans, events)
  return { eventId, event: { $case: 'written', value: { text, count: spans.length } } }
}
