import type { Handlers } from '@trellis/kit/rpc'
import type { LogsServiceDefinition, TailFrame } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { StoredEntry } from '../entries/entry.ts'
import { presentEntry } from '../entries/present.ts'
import { parseQuery } from '../search/query.ts'
import { readFilters } from '../search/read-request.ts'
import type { World } from '../world.ts'
import { decodePosition, encodePosition, isFollowed, type Tail } from './tail.ts'

type TailHandlers = Pick<Handlers<typeof LogsServiceDefinition>, 'tail'>

const entryFrame = (entry: StoredEntry, eventId: string): TailFrame => ({
  eventId,
  event: { $case: 'entry', value: presentEntry(entry) },
})

export const tailRpc = ({ engine }: World, tail: Tail): TailHandlers => ({
  async *tail(request, { signal }) {
    const filters = readFilters(request)
    const query = parseQuery(request.q ?? '')
    const { run, leave } = await tail.join()
    try {
      const last = request.lastEventId ? decodePosition(request.lastEventId) : undefined
      const resumes = last?.run === run
      const events = tail.subscribe(resumes ? last.sequence - 1 : 'latest', signal)
      yield { eventId: '', event: null }
      if (request.lastEventId && !resumes) yield { eventId: '', event: { $case: 'reset', value: {} } }
      // The place is taken before the history is read: an entry may be in both, and is then shown once.
      const shown = new Set<string>()
      const history = resumes ? 0 : (request.history ?? 0)
      if (history > 0) {
        const found = await engine.search({ query, filters, limit: history, order: 'time', withFacets: false }, signal)
        for (const { entry } of found.entries.toReversed()) {
          shown.add(entry.entryId)
          yield entryFrame(entry, '')
        }
      }
      for await (const delivery of events) {
        if (delivery.kind === 'gap') {
          yield { eventId: '', event: { $case: 'gap', value: { missed: null } } }
          continue
        }
        const { sequence, event } = delivery
        const skip = resumes && sequence === last.sequence ? last.shown : 0
        for (const [index, entry] of event.entries.entries()) {
          if (index < skip || shown.has(entry.entryId) || !isFollowed(entry, filters, query)) continue
          yield entryFrame(entry, encodePosition({ run, sequence, shown: index + 1 }))
        }
        if (event.missed > 0) yield { eventId: '', event: { $case: 'gap', value: { missed: event.missed } } }
      }
    } finally {
      leave()
    }
  },
})
