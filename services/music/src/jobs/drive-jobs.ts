import { setInterval } from 'node:timers/promises'
import type { Queue } from '@trellis/kit/bus'
import { handleWithRetries } from '@trellis/kit/workloads'
import type { Dependencies } from '../dependencies.ts'

/** A run to follow to its end, and the node that the end is recorded in. */
export type NodeJob = { readonly nodeId: string; readonly runId: string }

/** A delivery of a job to this replica. */
export type JobDelivery = { readonly delivery: number; readonly isAgain: boolean; readonly signal: AbortSignal }

export type DrivenJobs = {
  /** Queue ids are run ids. */
  readonly queue: Queue<NodeJob>
  /** What a job makes, for the log: "generation". */
  readonly what: string
  /** Jobs that one replica drives concurrently; more wait in the queue. */
  readonly concurrency: number
  /** Time limit for one delivery to wait for the servers that it depends on, in milliseconds. */
  readonly longestOutage: number
  readonly drive: (job: NodeJob, delivery: JobDelivery) => Promise<void>
  /** Jobs that have not ended, whether they are queued or not. */
  readonly unfinished: () => Promise<readonly NodeJob[]>
}

/** Interval between searches for jobs without a driver. */
const recoveryMilliseconds = 60_000

/**
 * Requeues all unfinished jobs: they may never have been queued, or were in a queue that was lost with its process. Jobs that
 * are waiting or being driven, here or elsewhere, are not queued twice.
 */
const recover = async (
  { bus, log, signal }: Pick<Dependencies, 'bus' | 'log' | 'signal'>,
  { queue, what, unfinished }: DrivenJobs,
): Promise<void> => {
  const requeue = async () => {
    for (const job of await unfinished()) await bus.enqueue(queue, job, job.runId)
  }
  const attempt = () =>
    requeue().catch((error: unknown) => log.warn({ err: error }, `music: ${what}s were not requeued`))
  await attempt()
  try {
    for await (const _ of setInterval(recoveryMilliseconds, undefined, { signal, ref: false })) await attempt()
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

const work = (
  { bus, log, signal }: Pick<Dependencies, 'bus' | 'log' | 'signal'>,
  { queue, what, concurrency, longestOutage, drive }: DrivenJobs,
): Promise<void> =>
  bus.work(
    queue,
    async ({ value: job, delivery }, handling) => {
      try {
        await handleWithRetries((isAgain) => drive(job, { delivery, isAgain, signal: handling.signal }), {
          queue,
          handling,
          withinMilliseconds: longestOutage,
          onRetry: (error) => log.warn({ err: error, ...job }, `music: server unavailable, retrying ${what}`),
        })
      } catch (error) {
        if (!handling.signal.aborted) log.warn({ err: error, ...job, delivery }, `music: ${what} requeued`)
        throw error
      }
    },
    { concurrency, signal },
  )

/** Drives jobs until the service shuts down; unfinished ones then go to another replica, or to the next start. */
export const driveJobs = async (dependencies: Dependencies, jobs: DrivenJobs): Promise<void> => {
  await Promise.all([work(dependencies, jobs), recover(dependencies, jobs)])
}
