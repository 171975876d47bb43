import type { TailFrame } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { StoredEntry } from '../entries/entry.ts'
import { begun, type Followed } from './frames.ts'
import { type EventSpan, type WrittenEvents, writtenEvents } from './written-events.ts'

/** Positions in branches come from the reader's own request: a line end in one would inject a line into the stream. */
const oneLine = (text: string): string => text.replaceAll(/[\r\n\0]/g, '')

/** Concatenates spans; adjacent spans are copied as one, and for all entries no bytes are copied. */
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

/** Concatenates spans and inserts the reader's positions in other stores after each position in this one. */
const joinedWith = (elsewhere: Buffer, spans: readonly EventSpan[], events: WrittenEvents): Uint8Array =>
  Buffer.concat(
    spans.flatMap(({ start, positionEnd, end }) => [
      events.bytes(start, positionEnd),
      elsewhere,
      events.bytes(positionEnd, end),
    ]),
  )

/**
 * Formats entries as server-sent events (WHATWG HTML, section 9.2), each with the reader's position in this store and in the others, all in one
 * frame: one frame per entry would cost more than formatting it. `eventId` is the position after the last of them.
 */
export const writeFollowed = (
  followed: Followed,
  eventId: string,
  isShown: (entry: StoredEntry) => boolean,
): TailFrame => {
  const { of, indexes, positionOf } = followed
  const elsewhere = oneLine(eventId.slice(positionOf(indexes.at(-1) ?? 0).length))
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
