import type { Handlers } from '@trellis/kit/rpc'
import type { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { reportMissing } from '../branches/report-missing.ts'
import type { Dependencies } from '../dependencies.ts'
import type { StoredEntry } from '../entries/entry.ts'
import { parseQuery } from '../search/query.ts'
import { readFilters } from '../search/read-request.ts'
import { begun, entryFrame, gap, tailSteps } from './frames.ts'
import { historyIds, newestEntries, restOfHistory, takeHistoryPosition } from './history.ts'
import { decodePositions, mergeTails } from './merge-tails.ts'
import type { Tail } from './tail.ts'
import { writeFollowed } from './write-followed.ts'

type TailHandlers = Pick<Handlers<typeof LogsServiceDefinition>, 'tail'>

/** A branch that takes longer to open is followed from when it responds, and a gap reports that. */
const beginMilliseconds = 5_000

export const tailRpc = ({ engine, branches, requireBranch }: Dependencies, tail: Tail): TailHandlers => ({
  async *tail(request, { signal, head }) {
    const filters = readFilters(request)
    reportMissing(head, await requireBranch(filters.branch))
    const query = parseQuery(request.q ?? '')
    const positions = decodePositions(request.lastEventId)
    const historyPosition = takeHistoryPosition(positions)
    const resumes = positions.size > 0
    // Event ids of this server include the position in its own store. An id without it, of a client's own or from an older server, does not.
    const mayHaveMissed = resumes && !positions.has('')
    using merged = mergeTails({
      own: { name: '', open: (lastEventId, tailSignal) => tailSteps(tail, { ...request, lastEventId }, tailSignal) },
      branches: async () => {
        // A branch that is named may have been deleted meanwhile.
        await requireBranch(filters.branch)
        return (await branches?.tails(request)) ?? { shards: [], absent: [] }
      },
      onBranches: branches?.onBranches,
      positions,
      signal,
    })
    const position = await merged.begun(beginMilliseconds)
    // Positions are taken before the history is read: an entry may be in both, and is then shown once.
    const shown = new Set<string>()
    const history = resumes ? 0 : (request.history ?? 0)
    const found = historyPosition
      ? await restOfHistory(engine, { query, filters, ...historyPosition }, signal)
      : await newestEntries(engine, { query, filters, history }, signal)
    const ids = historyIds(position, found)
    // The stream opens when its history is known; later entries are sent as they arrive.
    yield begun(position)
    if (mayHaveMissed) yield gap(null, position)
    for (const [index, entry] of found.entries()) {
      shown.add(`${entry.origin.branch ?? ''} ${entry.entryId}`)
      yield entryFrame(entry, ids[index] ?? position)
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
