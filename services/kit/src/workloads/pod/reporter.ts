import type { RunEvent } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { WorkerBus } from '../../bus/mod.ts'
import { retrying } from '../retrying.ts'
import { type RunKind, runTopic, workerEvents } from '../topics.ts'
import type { Report } from '../watch.ts'

/** Progress goes out no more often than this, in milliseconds: as reports, and as what a status is made of. */
const progressEvery = { report: 250, event: 1_000 }

type Notice = NonNullable<RunEvent['event']>

export type ReporterOptions = {
  bus: WorkerBus
  kind: RunKind
  runId: string
  /** How long something is tried to be told while the bus is away, in milliseconds. */
  withinMilliseconds: number
  /** Ends the telling, whatever has not gone out. */
  signal: AbortSignal
  /** Called at the first thing that could not be told: nothing good comes of going on. */
  onLost: (error: unknown) => void
}

/** Tells what happens in one run, in order. */
export type Reporter = {
  /** Tells on the run's topic; gives the sequence there once it is stored. */
  report: (report: Report) => Promise<number>
  /** Tells the operator, after all that was given before. */
  event: (event: Notice) => Promise<void>
  /** How far the run is; what comes too often, or while the bus is away, is left out. */
  progress: (fraction: number, detail: string) => void
  /** Resolves when all that was given so far has gone out, or was tried to. */
  flushed: () => Promise<void>
}

/**
 * Reports of a run and what its status is made of, one after the other as they are given: a notice never overtakes a
 * report. What was given is sent again until it is acknowledged; a report then has the number that it had.
 */
export const createReporter = (options: ReporterOptions): Reporter => {
  const { bus, kind, runId, withinMilliseconds, signal, onLost } = options
  const topic = runTopic[kind](runId)
  const events = workerEvents[kind]
  let line: Promise<unknown> = Promise.resolve()
  let number = 0
  let progressedAt = Number.NEGATIVE_INFINITY
  let noticedAt = Number.NEGATIVE_INFINITY
  let isProgressUnderWay = false

  const inLine = <Result>(send: () => Promise<Result>): Promise<Result> => {
    const sent = line.then(send)
    line = sent.catch(onLost)
    return sent
  }
  const surely = <Result>(send: () => Promise<Result>) => retrying(send, { withinMilliseconds, signal })
  const numbered = (report: Report) => {
    number += 1
    return { runId, number, report }
  }
  const tell = async (made: Extract<Report, { $case: 'progress' }>, now: number): Promise<void> => {
    await bus.publish(topic, numbered(made))
    if (now - noticedAt < progressEvery.event) return
    noticedAt = now
    await bus.enqueue(events, { runId, event: made })
  }

  return {
    report: (report) =>
      inLine(() => {
        const event = numbered(report)
        return surely(() => bus.publish(topic, event))
      }),
    event: (event) => inLine(async () => void (await surely(() => bus.enqueue(events, { runId, event })))),
    progress: (fraction, detail) => {
      const now = performance.now()
      if (isProgressUnderWay || now - progressedAt < progressEvery.report) return
      progressedAt = now
      isProgressUnderWay = true
      const sent = inLine(() => tell({ $case: 'progress', value: { fraction, detail } }, now).catch(() => undefined))
      void sent.finally(() => {
        isProgressUnderWay = false
      })
    },
    flushed: async () => {
      await line
    },
  }
}
