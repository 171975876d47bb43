import type { Bus, Job } from '@trellis/kit/bus'
import { addAbortListener } from '@trellis/kit/lifecycle'
import type { Log } from '@trellis/kit/telemetry'
import { type RunKind, runEvents, runKinds, workerEvents } from '@trellis/kit/workloads'
import type { RunEvent } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Clock } from '../runtime/mod.ts'
import { learn, noReports, type RunEventOf, type RunFacts } from './run-facts.ts'

/** A controller whose objects are runs. */
export type RunEventReader = {
  kind: RunKind
  /** The key of the object that has had the run, where there is one. */
  keyOf: (runId: string) => string | undefined
  /** Has the object looked at. */
  enqueue: (key: string) => void
}

/**
 * What is heard of runs. The facts are kept in memory alone: a notice is acknowledged when an object's status says what it
 * said, and comes again until then, also to the next operator.
 */
export type RunEvents = {
  /** Adds a kind of runs. To be called before `work`. */
  read: (reader: RunEventReader) => void
  factsOf: (runId: string) => RunFacts
  /** Takes what was learned of a run otherwise than by hearing it. */
  learned: (runId: string, event: RunEventOf) => void
  /** The facts up to this version are in the status, or never will be: what told them is acknowledged. */
  reflected: (runId: string, version: number) => void
  /** The run is over, or its object gone: whatever is said of it is acknowledged. */
  forget: (runId: string) => void
  /** Hears notices until the signal; for the one that leads. */
  work: (signal: AbortSignal) => Promise<void>
}

/**
 * Notices of a queue that are handled, and may wait for their status, at a time. Many: `worked` waits for up to a second. Each costs
 * a message to the bus every 25 s; a consumer takes 512.
 */
const concurrency = 128

/** The notices that a worker may send. The others are ignored in its queue: with them it would end runs of other workers. */
const fromWorkers: ReadonlySet<RunEventOf['$case']> = new Set(['started', 'progress', 'worked', 'failed'])
/** Milliseconds that a status has before its notice is given back to come again. */
const patience = 2_000
/** A cache may be late to show a new object; after so many deliveries (some seconds) there is none. */
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

  /** Resolves when the facts are reflected or the run is forgotten; rejects when that takes too long. */
  const untilReflected = async (runId: string, entry: Entry, version: number, signal: AbortSignal) => {
    const isDone = () => entry.reflected >= version || entries.get(runId) !== entry
    if (isDone()) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const look = () => {
      if (isDone()) resolve()
    }
    const stopTimer = clock.after(patience, () => reject(new Error(`The status of run ${runId} does not say it yet.`)))
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

  /** Handles a notice; with a kind, one from its workers, which concerns runs of that kind only. */
  const hear = async (
    { value: { runId, event }, delivery }: Job<RunEvent>,
    { kind, signal }: { kind?: RunKind; signal: AbortSignal },
  ) => {
    if (!event) return
    if (kind !== undefined && !fromWorkers.has(event.$case)) {
      log.warn({ runId, kind, event: event.$case }, 'a notice was ignored: no worker may send it')
      return
    }
    const found = readers.flatMap((reader) => {
      if (kind !== undefined && reader.kind !== kind) return []
      const key = reader.keyOf(runId)
      return key === undefined ? [] : [{ reader, key }]
    })[0]
    if (!found) {
      if (delivery < deliveriesOfUnknown) throw new Error(`There is no object of run ${runId} yet.`)
      log.debug({ runId, event: event.$case }, 'nothing is known of a run that was told of')
      return
    }
    const entry = entryOf(runId)
    const facts = learn(entry.facts, event, clock.now())
    const isUnpublished = facts !== entry.facts
    entry.facts = facts
    if (isUnpublished || entry.reflected < facts.version) found.reader.enqueue(found.key)
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
    forget: (runId) => {
      const entry = entries.get(runId)
      if (!entry) return
      entries.delete(runId)
      wake(entry)
    },
    work: async (signal) => {
      const options = { concurrency, signal }
      await Promise.all([
        bus.work(runEvents, (job, handling) => hear(job, handling), options),
        ...runKinds.map((kind) =>
          bus.work(workerEvents[kind], (job, handling) => hear(job, { kind, signal: handling.signal }), options),
        ),
      ])
    },
  }
}
