import type { TailFrame, TailRequest } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { StoredEntry } from '../entries/entry.ts'
import { presentEntry } from '../entries/present.ts'
import { parseQuery } from '../search/query.ts'
import { type FilterParameters, readFilters } from '../search/read-request.ts'
import { allShown, decodePosition, encodePosition, isFollowed, type Tail } from './tail.ts'

/** What a tail is asked for; how much history is the business of whoever merges tails. */
export type TailQuestion = FilterParameters & Pick<TailRequest, 'q' | 'lastEventId'>

export const gap = (missed: number | null): TailFrame => ({ eventId: '', event: { $case: 'gap', value: { missed } } })
export const reset: TailFrame = { eventId: '', event: { $case: 'reset', value: {} } }
/** Says that the place in the stream is taken; whoever comes back with it misses nothing. */
export const begun = (eventId: string): TailFrame => ({ eventId, event: null })

export const entryFrame = (entry: StoredEntry, eventId: string): TailFrame => ({
  eventId,
  event: { $case: 'entry', value: presentEntry(entry) },
})

/** The entries of one store as they come in, from the place of `lastEventId` on or from now; the first frame says that the place is taken. */
export async function* tailFrames(tail: Tail, question: TailQuestion, signal: AbortSignal): AsyncGenerator<TailFrame> {
  const filters = readFilters(question)
  const query = parseQuery(question.q ?? '')
  const { run, sequence: place, leave } = await tail.join()
  try {
    const last = question.lastEventId ? decodePosition(question.lastEventId) : undefined
    const resumes = last?.run === run
    const events = tail.subscribe(resumes ? last.sequence - 1 : place, signal)
    yield begun(encodePosition(resumes ? last : { run, sequence: place, shown: allShown }))
    if (question.lastEventId && !resumes) yield reset
    for await (const delivery of events) {
      if (delivery.kind === 'gap') {
        yield gap(null)
        continue
      }
      const { sequence, event } = delivery
      const skip = resumes && sequence === last.sequence ? last.shown : 0
      for (const [index, entry] of event.entries.entries()) {
        if (index < skip || !isFollowed(entry, filters, query)) continue
        yield entryFrame(entry, encodePosition({ run, sequence, shown: index + 1 }))
      }
      if (event.missed > 0) yield gap(event.missed)
    }
  } finally {
    leave()
  }
}
