import type { EntryRest } from '@trellis/protos/edge/client.ts'
import type { RequestOf } from '../../api/client.ts'
import { follow, type StreamState } from '../../api/stream.ts'
import { createRing } from '../../lines/ring.ts'
import { counted } from '../../ui/counted.ts'
import { countArrivals } from './arrivals.ts'
import { entriesBetween } from './entries-between.ts'

/** So many lines stay scrollable: browsers limit the height of an element. */
export const maxLines = 200_000
const history = 200
/** Lines are shown ten times a second, because drawing each as it arrives costs twice as much. */
const drawMilliseconds = 100
const rateMilliseconds = 3_000
/** So many ids are remembered to recognize lines that a bridging search finds again. */
const maxKnown = 5_000

/** Where lines are missing: before the line of a number, after one time and before another. */
type Hole = { before: number; since: string; until: string | undefined; missed: number | null }

type Query = RequestOf<'GET /logs/api/tail'>['query']

const timeOf = ({ timestamp_iso: time, ingest_time: ingested }: EntryRest): string => time ?? ingested

/** Follows lines as they arrive: they are collected in a ring, and `version` changes when there is something to draw. */
export const createLive = (query: NonNullable<Query>) => {
  const ring = createRing<EntryRest>(maxLines)
  let version = $state(0)
  let state = $state.raw<StreamState>({ kind: 'connecting' })
  let missed = $state(0)
  let holes = $state.raw<readonly Hole[]>([])
  let order = $state.raw({})
  let rate = $state(0)
  let note = $state('')
  let branchesMissing = $state.raw<readonly string[]>([])
  let pending: EntryRest[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const arrivals = countArrivals()
  let known = new Set<string>()
  let lastTime: string | undefined
  const { history: _, last_event_id: __, ...filters } = query
  const closing = new AbortController()

  const draw = (): void => {
    timer = undefined
    arrivals.shown()
    ring.push(pending)
    pending = []
    version += 1
  }
  const add = (entry: EntryRest): void => {
    if (known.has(entry.entry_id)) return
    if (known.size >= maxKnown) known = new Set([...known].slice(-maxKnown / 2))
    known.add(entry.entry_id)
    lastTime = timeOf(entry)
    const [hole] = holes.slice(-1)
    if (hole && hole.until === undefined) holes = [...holes.slice(0, -1), { ...hole, until: lastTime }]
    pending.push(entry)
    arrivals.add()
    timer ??= setTimeout(draw, drawMilliseconds)
  }
  /** After a restart the stream has nothing to resume: what came meanwhile is searched for, and known lines are left out. */
  const bridge = async (): Promise<void> => {
    if (lastTime === undefined) return
    try {
      const { entries, isComplete } = await entriesBetween(filters, { since: lastTime }, closing.signal)
      for (const entry of entries) add(entry)
      note = isComplete
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
          if (lastTime !== undefined)
            holes = [
              ...holes,
              { before: ring.total + pending.length, since: lastTime, until: undefined, missed: gap.missed },
            ]
          note =
            gap.missed === null ? 'Some lines were missed.' : `${counted(missed, 'line was', 'lines were')} missed.`
        },
        reset: () => void bridge(),
        branches_missing: ({ branches }) => (branchesMissing = branches),
      },
      onState: (next) => {
        // A stream that opens names them again.
        if (next.kind === 'open') branchesMissing = []
        if (next.kind === 'open' && next.reopened && next.resumed) note = 'Resumed, nothing missed.'
        state = next
      },
    },
  )
  /** Searches for the lines that were missed and puts them where they belong. Returns how many, and the position of the first. */
  const fetchMissed = async (): Promise<{ count: number; first: number }> => {
    clearTimeout(timer)
    draw()
    const present = new Set<string>()
    for (let position = 0; position < ring.size; position += 1) {
      const entry = ring.at(position)
      if (entry) present.add(entry.entry_id)
    }
    let count = 0
    let first = ring.size
    // The last ones first, so that the numbers of the others stay.
    for (const hole of holes.toReversed()) {
      const { entries, isComplete } = await entriesBetween(filters, hole, closing.signal)
      const added = entries.filter(({ entry_id: id }) => !present.has(id))
      ring.insert(hole.before, added)
      count += added.length
      first = Math.max(0, hole.before - ring.dropped)
      // Of many, the older ones are fetched next.
      const [oldest] = added
      const isFilled = isComplete || oldest === undefined
      const rest = Math.max(0, (hole.missed ?? 0) - (isFilled ? (hole.missed ?? 0) : added.length))
      missed = Math.max(0, missed - (hole.missed ?? 0) + rest)
      holes = holes.flatMap((other) => {
        if (other !== hole) return [other]
        return isFilled ? [] : [{ ...hole, missed: rest, until: timeOf(oldest) }]
      })
      order = {}
      version += 1
    }
    note = `${counted(count, 'line was', 'lines were')} fetched.`
    return { count, first }
  }
  const rates = setInterval(() => {
    rate = Math.round(arrivals.take() / (rateMilliseconds / 1_000))
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
    /** Whether lines are missing that can be fetched. */
    get hasHoles() {
      return holes.length > 0
    },
    fetchMissed,
    /** Another object after lines were put between others. */
    get order() {
      return order
    },
    get rate() {
      return rate
    },
    /** The branch that is followed alone, if the filters name one. */
    branch: query.branch,
    /** The branches whose lines do not arrive: they are stopped, or do not answer. */
    get branchesMissing() {
      return branchesMissing
    },
    /** The last thing that happened to the stream, as a sentence. */
    get note() {
      return note
    },
    close: (): void => {
      stream.close()
      closing.abort()
      clearInterval(rates)
      clearTimeout(timer)
    },
  }
}

export type Live = ReturnType<typeof createLive>
