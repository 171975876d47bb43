import type { EntryRest } from '@trellis/protos/edge/client.ts'
import { call, type RequestOf } from '../../api/client.ts'
import { follow, type StreamState } from '../../api/stream.ts'
import { createRing } from '../../lines/ring.ts'

/** So many lines stay scrollable: browsers limit the height of an element. */
export const maxLines = 200_000
const history = 200
/** Lines are shown ten times a second, because drawing each as it arrives costs twice as much. */
const drawMilliseconds = 100
const rateMilliseconds = 3_000
/** So many ids are remembered to recognize lines that a bridging search finds again. */
const maxKnown = 5_000
const maxBridged = 1_000

type Query = RequestOf<'GET /logs/api/tail'>['query']

/** Follows lines as they arrive: they are collected in a ring, and `version` changes when there is something to draw. */
export const createLive = (query: NonNullable<Query>) => {
  const ring = createRing<EntryRest>(maxLines)
  let version = $state(0)
  let state = $state.raw<StreamState>({ kind: 'connecting' })
  let missed = $state(0)
  let rate = $state(0)
  let note = $state('')
  let pending: EntryRest[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let counted = 0
  let known = new Set<string>()
  let lastTime: string | undefined

  const draw = (): void => {
    timer = undefined
    ring.push(pending)
    pending = []
    version += 1
  }
  const add = (entry: EntryRest): void => {
    if (known.has(entry.entry_id)) return
    if (known.size >= maxKnown) known = new Set([...known].slice(-maxKnown / 2))
    known.add(entry.entry_id)
    lastTime = entry.timestamp_iso ?? entry.ingest_time
    pending.push(entry)
    counted += 1
    timer ??= setTimeout(draw, drawMilliseconds)
  }
  /** After a restart the stream has nothing to resume: what came meanwhile is searched for, and known lines are left out. */
  const bridge = async (): Promise<void> => {
    if (lastTime === undefined) return
    const { history: _, last_event_id: __, ...filters } = query
    try {
      const { entries, next_cursor } = await call('GET /logs/api/search', {
        query: { ...filters, since: lastTime, order: 'time', limit: maxBridged },
      })
      for (const entry of entries.toReversed()) add(entry)
      note =
        next_cursor === null
          ? 'The server was restarted; nothing was missed.'
          : 'The server was restarted; some lines were missed.'
    } catch {
      note = 'The server was restarted; lines may have been missed.'
    }
  }
  const stream = follow(
    'GET /logs/api/tail',
    { query: { ...query, history } },
    {
      on: {
        entry: add,
        gap: (gap) => {
          missed += gap.missed ?? 0
          note =
            gap.missed === null ? 'Some lines were missed.' : `${gap.missed.toLocaleString('en')} lines were missed.`
        },
        reset: () => void bridge(),
      },
      onState: (next) => {
        if (next.kind === 'open' && next.resumed) note = 'Resumed, nothing missed.'
        state = next
      },
    },
  )
  const rates = setInterval(() => {
    rate = Math.round(counted / (rateMilliseconds / 1_000))
    counted = 0
  }, rateMilliseconds)

  return {
    ring,
    get version() {
      return version
    },
    get state() {
      return state
    },
    get missed() {
      return missed
    },
    get rate() {
      return rate
    },
    /** The last thing that happened to the stream, as a sentence. */
    get note() {
      return note
    },
    close: (): void => {
      stream.close()
      clearInterval(rates)
      clearTimeout(timer)
    },
  }
}

export type Live = ReturnType<typeof createLive>
