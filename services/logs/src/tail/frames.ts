import type { TailFrame, TailRequest } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { StoredEntry } from '../entries/entry.ts'
import { presentEntry } from '../entries/present.ts'
import { parseQuery } from '../search/query.ts'
import { type FilterParameters, readFilters } from '../search/read-request.ts'
import { allShown, decodePosition, encodePosition, isFollowed, type Tail, type TailEvent } from './tail.ts'

/** The parameters of one store's tail; the caller that merges tails handles history. */
export type TailParameters = FilterParameters & Pick<TailRequest, 'q' | 'lastEventId'>

/** Some entries of an arrival, in ascending order, and the reader's position after each. */
export type Followed = { of: readonly StoredEntry[]; indexes: number[]; positionOf: (index: number) => string }

/** A frame of one store, or several entries at once; `eventId` is then the position after the last of them. */
export type TailStep = TailFrame & { followed?: Followed }

/** A gap without an event id leaves the reader at its current position. */
export const gap = (missed: number | null, eventId = ''): TailFrame => ({
  eventId,
  event: { $case: 'gap', value: { missed } },
})
export const branchesMissing = (branches: readonly string[], eventId: string): TailFrame => ({
  eventId,
  event: { $case: 'branchesMissing', value: { branches: [...branches] } },
})
export const reset = (eventId: string): TailFrame => ({ eventId, event: { $case: 'reset', value: {} } })
/** Confirms that the position in the stream is taken: a client that resumes from it misses nothing. */
export const begun = (eventId: string): TailFrame => ({ eventId, event: null })

export const entryFrame = (entry: StoredEntry, eventId: string): TailFrame => ({
  eventId,
  event: { $case: 'entry', value: presentEntry(entry) },
})

/** The amount of text after which a step is yielded, in UTF-16 code units. It bounds what is buffered for a slow reader. */
const maxAtOnce = 128 * 1024

function* followedOf(
  { entries }: TailEvent,
  matches: (entry: StoredEntry, index: number) => boolean,
  positionOf: (index: number) => string,
): Generator<TailStep> {
  let indexes: number[] = []
  let size = 0
  const step = (): TailStep => ({
    eventId: positionOf(indexes.at(-1) ?? 0),
    event: null,
    followed: { of: entries, indexes, positionOf },
  })
  for (const [index, entry] of entries.entries()) {
    if (!matches(entry, index)) continue
    indexes.push(index)
    size += entry.text.length
    if (size < maxAtOnce) continue
    yield step()
    indexes = []
    size = 0
  }
  if (indexes.length > 0) yield step()
}

/** The entries of one store as they arrive, after the position `lastEventId` or from now on; the first frame confirms that the position is taken. */
export async function* tailSteps(
  tail: Tail,
  parameters: TailParameters,
  signal: AbortSignal,
): AsyncGenerator<TailStep> {
  const filters = readFilters(parameters)
  const query = parseQuery(parameters.q ?? '')
  const { run, sequence: newest, leave } = await tail.join()
  try {
    const last = parameters.lastEventId ? decodePosition(parameters.lastEventId) : undefined
    const resumes = last?.run === run
    const events = tail.subscribe(resumes ? Math.max(0, last.sequence - 1) : newest, signal)
    const from = encodePosition(resumes ? last : { run, sequence: newest, shown: allShown })
    if (parameters.lastEventId && !resumes) {
      // A reader that disconnects before the reset retains its old position and receives the reset when it reconnects.
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
        (entry, index) => index >= skip && isFollowed(entry, filters, query) && !tail.isDeleted(entry, sequence),
        (index) => encodePosition({ run, sequence, shown: index + 1 }),
      )
      const first = followed.next()
      // The older entries of a batch are missed, so the gap comes first. A reader that resumes from a position in the batch has received it.
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

/** The same, with one frame per entry. */
export async function* tailFrames(
  tail: Tail,
  parameters: TailParameters,
  signal: AbortSignal,
): AsyncGenerator<TailFrame> {
  for await (const { followed, ...frame } of tailSteps(tail, parameters, signal)) {
    if (!followed) yield frame
    for (const index of followed?.indexes ?? []) {
      const entry = followed?.of[index]
      if (entry) yield entryFrame(entry, followed.positionOf(index))
    }
  }
}
