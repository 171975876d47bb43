import type { Handlers } from '@trellis/kit/rpc'
import type { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { tellMissing } from '../branches/tell-missing.ts'
import type { Dependencies } from '../dependencies.ts'
import type { StoredEntry } from '../entries/entry.ts'
import { parseQuery } from '../search/query.ts'
import { readFilters } from '../search/read-request.ts'
import { begun, entryFrame, gap, tailSteps } from './frames.ts'
import { historyIds, newestEntries, restOfHistory, takeHistoryPlace } from './history.ts'
import { decodePositions, mergeTails } from './merge-tails.ts'
import type { Tail } from './tail.ts'
import { writeFollowed } from './write-followed.ts'

type TailHandlers = Pick<Handlers<typeof LogsServiceDefinition>, 'tail'>

/** A branch that takes longer to be followed is followed from when it answers, and a gap says so. */
const beginMilliseconds = 5_000

export const tailRpc = ({ engine, branches, requireBranch }: Dependencies, tail: Tail): TailHandlers => ({
  async *tail(request, { signal, head }) {
    const filters = readFilters(request)
    tellMissing(head, await requireBranch(filters.branch))
    const query = parseQuery(request.q ?? '')
    const positions = decodePositions(request.lastEventId)
    const brokeOff = takeHistoryPlace(positions)
    const resumes = positions.size > 0
    // Ids that are given out have a place here; one without it, of a client's own or from an older server, says nothing of what came here.
    const mayHaveMissed = resumes && !positions.has('')
    using merged = mergeTails({
      own: { name: '', open: (lastEventId, whole) => tailSteps(tail, { ...request, lastEventId }, whole) },
      branches: () => branches?.tails(request) ?? Promise.resolve([]),
      onBranches: branches?.onBranches,
      positions,
      signal,
    })
    const place = await merged.begun(beginMilliseconds)
    // Places are taken before the history is read: an entry may be in both, and is then shown once.
    const shown = new Set<string>()
    const history = resumes ? 0 : (request.history ?? 0)
    const found = brokeOff
      ? await restOfHistory(engine, { query, filters, ...brokeOff }, signal)
      : await newestEntries(engine, { query, filters, history }, signal)
    const ids = historyIds(place, found)
    // The stream opens when its history is known: what comes after that is told as it comes.
    yield begun(place)
    if (mayHaveMissed) yield gap(null, place)
    for (const [index, entry] of found.entries()) {
      shown.add(`${entry.origin.branch ?? ''} ${entry.entryId}`)
      yield entryFrame(entry, ids[index] ?? place)
    }
    const isInHistory = ({ origin, entryId }: StoredEntry) =>
      shown.size > 0 && shown.has(`${origin.branch ?? ''} ${entryId}`)
    for await (const { followed, ...frame } of merged.frames()) {
      if (followed) {
        yield writeFollowed(followed, frame.eventId, isInHistory)
        continue
      }
      const { event } = frame
      const isShown = event?.$case === 'entry' && shown.has(`${event.value.branch ?? ''} ${event.value.entryId}`)
      yield isShown ? begun(frame.eventId) : frame
    }
  },
})
