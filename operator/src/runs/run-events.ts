import type { Bus, Job } from '@trellis/kit/bus'
import { addAbortListener } from '@trellis/kit/lifecycle'
import type { Log } from '@trellis/kit/telemetry'
import { type RunKind, runEvents, runKinds, workerEvents } from '@trellis/kit/workloads'
import type { RunEvent } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Clock } from '../runtime/mod.ts'
import { learn, noReports, type RunEventOf, type RunFacts } from './run-facts.ts'

/** Connection to a controller whose objects are runs. */
export type RunEventReader = {
  kind: RunKind
  /** Events that its runs do not depend on: they are acknowledged at once. */
  ignored?: ReadonlySet<RunEventOf['$case']>
  /** The key of the object that the run belongs to, if there is one. */
  keyOf: (runId: string) => string | undefined
  /** Enqueues the object for a reconcile, soon after an event of this case. */
  enqueue: (key: string, event: RunEventOf['$case']) => void
}

/**
 * Events about runs. The facts are held in memory only: an event is acknowledged once an object's status reflects it,
 * and redelivered until then, also to the next leader (at least once).
 */
export type RunEvents = {
  /** Adds a kind of runs. Call it before `work`. */
  read: (reader: RunEventReader) => void
  factsOf: (runId: string) => RunFacts
  /** Adds a fact that did not arrive as an event. */
  learned: (runId: string, event: RunEventOf) => void
  /** Marks the facts up to this version as reflected in the status, or obsolete: their events are acknowledged. */
  reflected: (runId: string, version: number) => void
  /** Drops a run that has ended or whose object is gone: its events are acknowledged. */
  drop: (runId: string) => void
  /** Consumes events until the signal; only for the leader. */
  work: (signal: AbortSignal) => Promise<void>
}

/**
 * Events of a queue that are handled, and may wait for their status, concurrently. A high limit, since `worked` waits
 * for up to a second. Each costs a message to the bus every 25 s; a consumer takes 512.
 */
const concurrency = 128

/**
 * The events that a worker may send. Others are ignored in its queue: with them it could end runs of other workers.
 */
const fromWorkers: ReadonlySet<RunEventOf['$case']> = new Set(['started', 'progress', 'worked', 'failed'])
/** Milliseconds that a status has to reflect an event before the event is returned for redelivery. */
const patience = 2_000
/** The cache may lag behind a new object; after this many deliveries (some seconds) the object does not exist. */
const deliveriesOfUnknown = 4

type Entry = { facts: RunFacts; reflected: number; waiting: Set<() => void> }

export const createRunEvents = ({ bus, clock, log }: { bus: Bus; clock: Clock; log: Log }): RunEvents => {
  const readers: RunEventReader[] = []
  const entries = new Map<string, Entry>()

  const wake = ({ waiting }: Entry) => {
    for (const look of waiting) look()
  }

  const entryOf = (runId: string): Entry => {
    const held = entries.get(runId)
    if (held) return held
    const made: Entry = { facts: noReports, reflected: 0, waiting: new Set() }
    entries.set(runId, made)
    return made
  }

  /** Resolves once the facts are reflected or the run is dropped; rejects on timeout. */
  const untilReflected = async (runId: string, entry: Entry, version: number, signal: AbortSignal) => {
    const isDone = () => entry.reflected >= version || entries.get(runId) !== entry
    if (isDone()) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const look = () => {
      if (isDone()) resolve()
    }
    const stopTimer = clock.after(patience, () =>
      reject(new Error(`The status of run ${runId} does not reflect the event yet.`)),
    )
    entry.waiting.add(look)
    const unlink = addAbortListener(signal, () => reject(signal.reason))
    try {
      await promise
    } finally {
      entry.waiting.delete(look)
      unlink()
      stopTimer()
    }
  }

  /** Handles an event; with a kind, one from its workers, which concerns runs of that kind only. */
  const handle = async (
    { value: { runId, event }, delivery }: Job<RunEvent>,
    { kind, signal }: { kind?: RunKind; signal: AbortSignal },
  ) => {
    if (!event) return
    if (kind !== undefined && !fromWorkers.has(event.$case)) {
      log.warn({ runId, kind, event: event.$case }, 'an event was ignored: workers may not send it')
      return
    }
    const found = readers.flatMap((reader) => {
      if (kind !== undefined && reader.kind !== kind) return []
      const key = reader.keyOf(runId)
      return key === undefined ? [] : [{ reader, key }]
    })[0]
    if (!found) {
      if (delivery < deliveriesOfUnknown) throw new Error(`There is no object of run ${runId} yet.`)
      log.debug({ runId, event: event.$case }, 'an event of an unknown run was discarded')
      return
    }
    if (found.reader.ignored?.has(event.$case)) return
    const entry = entryOf(runId)
    const facts = learn(entry.facts, event, clock.now())
    const haveChanged = facts !== entry.facts
    entry.facts = facts
    if (haveChanged || entry.reflected < facts.version) found.reader.enqueue(found.key, event.$case)
    await untilReflected(runId, entry, facts.version, signal)
  }

  return {
    read: (reader) => void readers.push(reader),
    factsOf: (runId) => entries.get(runId)?.facts ?? noReports,
    learned: (runId, event) => {
      const entry = entryOf(runId)
      entry.facts = learn(entry.facts, event, clock.now())
    },
    reflected: (runId, version) => {
      const entry = entries.get(runId)
      if (!entry || entry.reflected >= version) return
      entry.reflected = version
      wake(entry)
    },
    drop: (runId) => {
      const entry = entries.get(runId)
      if (!entry) return
      entries.delete(runId)
      wake(entry)
    },
    work: async (signal) => {
      const options = { concurrency, signal }
      await Promise.all([
        bus.work(runEvents, (job, handling) => handle(job, handling), options),
        ...runKinds.map((kind) =>
          bus.work(workerEvents[kind], (job, handling) => handle(job, { kind, signal: handling.signal }), options),
        ),
      ])
    },
  }
}
