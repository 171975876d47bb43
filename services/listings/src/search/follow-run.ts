import { isFailure, ServiceFailure } from '@trellis/kit/errors'
import { followRun, runFailure } from '@trellis/kit/workloads'
import type { SearchSubject } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { World } from '../world.ts'
import { createJoiner } from './worker/found-parts.ts'
import { decodeOutput, encodeMessage, type WorkerInput, type WorkerOutput } from './worker/messages.ts'

/** What a run failed or was refused with. Whoever asks again under the same id is told the same. */
export class RunFailure extends ServiceFailure {
  override name = 'RunFailure'
  /** The word that the run itself gave for it; undefined where it was refused before it ran. */
  readonly reason: string | undefined

  constructor({ kind, detail, retryAfterSeconds, cause }: ServiceFailure, reason?: string) {
    super(kind, detail, { cause, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) })
    this.reason = reason
  }
}

const ofRun = (error: unknown): unknown =>
  isFailure(error) && !(error instanceof RunFailure) ? new RunFailure(error) : error

/**
 * A search that is driven waits this long for whoever takes its run, in milliseconds: it may be starting just now. One that
 * nobody listens to can wait longer.
 */
const patience = { followed: 8_000, unfollowed: 120_000 } as const

/** How a run is driven: whether somebody waits for what it finds, beside what `RunOptions` says. */
export type Driven = {
  readonly resumes: boolean
  readonly isLeft: () => boolean
  readonly isFollowed: boolean
}

export type RunOptions = {
  readonly runId: string
  readonly input: WorkerInput
  readonly user: string
  readonly deadlineSeconds: number
  /** Aborting it cancels the run. */
  readonly signal: AbortSignal
  /**
   * For a run that replicas drive: whether another may have asked for it before, and whether another will follow it when
   * this one leaves, so that it is not cancelled.
   */
  readonly driven?: Driven
  /** What people are shown of a run that is an object of its own. */
  readonly subject?: SearchSubject
  /** The run whose worker is to do this one, too. */
  readonly parentRunId?: string
}

/**
 * Starts a run, or takes one up, and gives what it finds as it comes. The start is awaited, so that an overloaded
 * installation refuses at once, or where the run is driven within seconds; the findings end early with the signal. Both throw
 * RunFailure. A run that had to be started again finds again.
 */
export const startRun = async (
  { bus, workloads, log }: World,
  options: RunOptions,
): Promise<AsyncIterable<WorkerOutput>> => {
  const { runId, input, user, deadlineSeconds, signal, driven, subject, parentRunId } = options
  const run = {
    runId,
    workload: 'WORKLOAD_SEARCH',
    input: encodeMessage(input),
    activeDeadlineSeconds: deadlineSeconds,
    user,
    search: subject ?? null,
    parentRunId,
  } as const
  const patienceMilliseconds = driven?.isFollowed === false ? patience.unfollowed : patience.followed
  const how = driven ? { resumes: driven.resumes, isPatient: true, patienceMilliseconds } : {}
  const reports = await followRun({ bus, workloads }, run, { signal, ...how }).catch((error: unknown) => {
    throw ofRun(error)
  })
  const cancel = async () => {
    try {
      await workloads.cancel({ runId })
    } catch (error) {
      // Its deadline ends it.
      log.warn({ err: error, runId }, 'a run could not be cancelled')
    }
  }
  return {
    async *[Symbol.asyncIterator]() {
      let isOver = false
      const { begin, join } = createJoiner()
      try {
        for await (const report of reports) {
          isOver = report.$case === 'completed' || report.$case === 'failed'
          if (report.$case === 'started') begin()
          const output = report.$case === 'output' ? join(decodeOutput(report.value)) : undefined
          if (output) yield output
          if (report.$case === 'failed') throw new RunFailure(runFailure(report.value), report.value.reason)
        }
      } catch (error) {
        throw ofRun(error)
      } finally {
        if (!isOver && !driven?.isLeft()) await cancel()
      }
      signal.throwIfAborted()
    },
  }
}
