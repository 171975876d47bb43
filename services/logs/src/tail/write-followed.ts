import type { TailFrame } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { StoredEntry } from '../entries/entry.ts'
import { entryText } from './entry-text.ts'
import { begun, type Followed } from './frames.ts'

/** Places in branches are from the reader's own request: a line end in one would begin a line of the stream. */
const oneLine = (text: string): string => text.replaceAll(/[\r\n\0]/g, '')

/**
 * Entries as the events of a stream (WHATWG HTML, section 9.2), each with the reader's place in this store and in the others, all as one
 * frame: a frame of its own for each would cost more than making it. `eventId` is the place behind the last of them.
 */
export const writeFollowed = (
  { of, indexes, placeOf }: Followed,
  eventId: string,
  isShown: (entry: StoredEntry) => boolean,
): TailFrame => {
  const elsewhere = oneLine(eventId.slice(placeOf(indexes.at(-1) ?? 0).length))
  let text = ''
  let count = 0
  for (const index of indexes) {
    const entry = of[index]
    if (!entry || isShown(entry)) continue
    text += `id: ${placeOf(index)}${elsewhere}\nevent: entry\ndata: ${entryText(of, index)}\n\n`
    count++
  }
  return count === 0
    ? begun(eventId)
    : { eventId, event: { $case: 'written', value: { text: Buffer.from(text), count } } }
}
