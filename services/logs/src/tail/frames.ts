import type { TailFrame, TailRequest } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { StoredEntry } from '../entries/entry.ts'
import { presentEntry } from '../entries/present.ts'
import { parseQuery } from '../search/query.ts'
import { type FilterParameters, readFilters } from '../search/read-request.ts'
import { allShown, decodePosition, encodePosition, isFollowed, type Tail, type TailEvent } from './tail.ts'

/** What a tail is asked for; how much history is the business of whoever merges tails. */
export type TailQuestion = FilterParameters & Pick<TailRequest, 'q' | 'lastEventId'>

/** Some entries of an arrival, ascending, and where a reader is behind each. */
export type Followed = { of: readonly StoredEntry[]; indexes: number[]; placeOf: (index: number) => string }

/** A frame of one store, or several entries at once; their place is then that of the last. */
export type TailStep = TailFrame & { followed?: Followed }

/** Without a place of its own it is where the reader is already. */
export const gap = (missed: number | null, eventId = ''): TailFrame => ({
  eventId,
  event: { $case: 'gap', value: { missed } },
})
export const reset = (eventId: string): TailFrame => ({ eventId, event: { $case: 'reset', value: {} } })
/** Says that the place in the stream is taken; whoever comes back with it misses nothing. */
export const begun = (eventId: string): TailFrame => ({ eventId, event: null })

export const entryFrame = (entry: StoredEntry, eventId: string): TailFrame => ({
  eventId,
  event: { $case: 'entry', value: presentEntry(entry) },
})

/** Text of entries that are handed on at once: who reads slowly is waited for after as much. */
const maxAtOnce = 128 * 1024

function* followedOf(
  { entries }: TailEvent,
  isWanted: (entry: StoredEntry, index: number) => boolean,
  placeOf: (index: number) => string,
): Generator<TailStep> {
  let indexes: number[] = []
  let size = 0
  const step = (): TailStep => ({
    eventId: placeOf(indexes.at(-1) ?? 0),
    event: null,
    followed: { of: entries, indexes, placeOf },
  })
  for (const [index, entry] of entries.entries()) {
    if (!isWanted(entry, index)) continue
    indexes.push(index)
    size += entry.text.length
    if (size < maxAtOnce) continue
    yield step()
    indexes = []
    size = 0
  }
  if (indexes.length > 0) yield step()
}

/** The entries of one store as they come in, from the place of `lastEventId` on or from now; the first frame says that the place is taken. */
export async function* tailSteps(tail: Tail, question: TailQuestion, signal: AbortSignal): AsyncGenerator<TailStep> {
  const filters = readFilters(question)
  const query = parseQuery(question.q ?? '')
  const { run, sequence: place, leave } = await tail.join()
  try {
    const last = question.lastEventId ? decodePosition(question.lastEventId) : undefined
    const resumes = last?.run === run
    const events = tail.subscribe(resumes ? Math.max(0, last.sequence - 1) : place, signal)
    const from = encodePosition(resumes ? last : { run, sequence: place, shown: allShown })
    if (question.lastEventId && !resumes) {
      // Whoever leaves before the reset has its own place still, and is told again.
      yield begun('')
      yield reset(from)
    } else yield begun(from)
    for await (const delivery of events) {
      if (delivery.kind === 'gap') {
        yield gap(null)
        continue
      }
      const { sequence, event } = delivery
      const skip = resumes && sequence === last.sequence ? last.shown : 0
      const followed = followedOf(
        event,
        (entry, index) => index >= skip && isFollowed(entry, filters, query),
        (index) => encodePosition({ run, sequence, shown: index + 1 }),
      )
      const first = followed.next()
      // The older entries of a batch are missed, so the gap comes first. A reader that returns with a position in the batch knows of it.
      if (event.missed > 0 && skip === 0)
        yield gap(event.missed, first.done ? encodePosition({ run, sequence, shown: allShown }) : '')
      if (first.done) continue
      yield first.value
      yield* followed
    }
  } finally {
    leave()
  }
}

/** The same as one frame for each entry. */
export async function* tailFrames(tail: Tail, question: TailQuestion, signal: AbortSignal): AsyncGenerator<TailFrame> {
  for await (const { followed, ...frame } of tailSteps(tail, question, signal)) {
    if (!followed) yield frame
    for (const index of followed?.indexes ?? []) {
      const entry = followed?.of[index]
      if (entry) yield entryFrame(entry, followed.placeOf(index))
    }
  }
}
