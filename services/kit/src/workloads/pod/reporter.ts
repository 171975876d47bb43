import type { RunEvent } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { WorkerBus } from '../../bus/mod.ts'
import { retrying } from '../retrying.ts'
import { type RunKind, runTopic, workerEvents } from '../topics.ts'
import type { Report } from '../watch.ts'

/** Minimum interval between progress reports, and between progress events for statuses, in milliseconds. */
const progressEvery = { report: 250, event: 1_000 }

type StatusEvent = NonNullable<RunEvent['event']>

export type ReporterOptions = {
  bus: WorkerBus
  kind: RunKind
  runId: string
  /** How long a message is retried while the bus is unavailable, in milliseconds. */
  withinMilliseconds: number
  /** Abandons pending messages. */
  signal: AbortSignal
  /** Called for each message that could not be published; the run should stop. */
  onLost: (error: unknown) => void
}

/** Publishes what happens in one run, in order. */
export type Reporter = {
  /** Publishes on the run's topic; returns the sequence there once it is stored. */
  report: (report: Report) => Promise<number>
  /** Notifies the operator, after all earlier messages. */
  event: (event: StatusEvent) => Promise<void>
  /** Publishes progress, best effort: dropped when it comes too often or while the bus is unavailable. */
  progress: (fraction: number, detail: string) => void
  /** Resolves when all messages so far were published or have failed. */
  flushed: () => Promise<void>
}

/**
 * Publishes reports of a run and events for its status in call order: an event never overtakes a
 * report. Messages are retried until they are acknowledged (at least once); a repeated report has the same number, by which readers deduplicate.
 */
export const createReporter = (options: ReporterOptions): Reporter => {
  const { bus, kind, runId, withinMilliseconds, signal, onLost } = options
  const topic = runTopic[kind](runId)
  const events = workerEvents[kind]
  let tail: Promise<unknown> = Promise.resolve()
  let number = 0
  let progressedAt = Number.NEGATIVE_INFINITY
  let eventSentAt = Number.NEGATIVE_INFINITY
  let isProgressUnderWay = false

  const serialized = <Result>(send: () => Promise<Result>): Promise<Result> => {
    const sent = tail.then(send)
    tail = sent.catch(onLost)
    return sent
  }
  const withRetries = <Result>(send: () => Promise<Result>) => retrying(send, { withinMilliseconds, signal })
  const numbered = (report: Report) => {
    number += 1
    return { runId, number, report }
  }
  const publishProgress = async (made: Extract<Report, { $case: 'progress' }>, now: number): Promise<void> => {
    await bus.publish(topic, numbered(made))
    if (now - eventSentAt < progressEvery.event) return
    eventSentAt = now
    await bus.enqueue(events, { runId, event: made })
  }

  return {
    report: (report) =>
      serialized(() => {
        const event = numbered(report)
        return withRetries(() => bus.publish(topic, event))
      }),
    event: (event) => serialized(async () => void (await withRetries(() => bus.enqueue(events, { runId, event })))),
    progress: (fraction, detail) => {
      const now = performance.now()
      if (isProgressUnderWay || now - progressedAt < progressEvery.report) return
      progressedAt = now
      isProgressUnderWay = true
      const sent = serialized(() =>
        publishProgress({ $case: 'progress', value: { fraction, detail } }, now).catch(() => undefined),
      )
      void sent.finally(() => {
        isProgressUnderWay = false
      })
    },
    flushed: async () => {
      await tail
    },
  }
}
