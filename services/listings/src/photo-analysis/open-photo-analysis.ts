import { messageOf } from '@trellis/kit/errors'
import { type Rounds, startRounds } from '@trellis/kit/lifecycle'
import type { Dependencies } from '../dependencies.ts'
import type { PhotoSource } from '../photos/photo-source.ts'
import { createPhotoHasher } from './decode/hasher.ts'
import { type PhotoDependencies, performTask } from './perform-task.ts'
import { wakeTopic } from './progress.ts'
import { endTask, hasTasks, requeueRunning, startNext, type TaskStage } from './tasks.ts'

/** How often queues are looked through even if nothing wakes their workers, in milliseconds. */
const roundMilliseconds = 10_000

const stages: readonly TaskStage[] = ['hash', 'vision']

/** Performs all tasks of a stage, one after the other. Only the holder of the lease does, so running tasks are of a worker that died. */
const workThrough = async (dependencies: PhotoDependencies, stage: TaskStage, signal: AbortSignal): Promise<void> => {
  const { db, log, now } = dependencies
  const requeued = await requeueRunning(db, stage, now())
  if (requeued > 0) log.info({ requeued, stage }, 'listings: photo tasks of a lost worker requeued')
  for (;;) {
    signal.throwIfAborted()
    const task = await startNext(db, stage, now())
    if (task === undefined) return
    try {
      await performTask(dependencies, task, signal)
    } catch (error) {
      signal.throwIfAborted()
      log.error({ err: error, listingId: task.job_id, stage }, 'listings: photo task failed')
      await endTask(db, task, { status: 'failed', error: messageOf(error) }, now())
    }
  }
}

/** Works a stage until the signal aborts. One replica at a time does, so tasks are performed in order, by one worker. */
const workStage = (dependencies: PhotoDependencies, stage: TaskStage): Rounds => {
  const { db, leases, log, signal } = dependencies
  return startRounds({
    milliseconds: roundMilliseconds,
    startsAtOnce: true,
    signal,
    round: async () => {
      if (!(await hasTasks(db, stage))) return
      await using lease = await leases.take(`photos ${stage}`, signal)
      if (lease !== undefined) await workThrough(dependencies, stage, lease.signal)
    },
    onFailure: (error) => log.warn({ err: error, stage }, 'listings: photo tasks interrupted, trying again'),
  })
}

/** Compares and analyses the photos of listings until the signal of the dependencies aborts; disposal waits for the workers. */
export const openPhotoAnalysis = (dependencies: Dependencies, photos: PhotoSource): AsyncDisposable => {
  const { bus, log, signal } = dependencies
  const hasher = createPhotoHasher({ log })
  const workers = stages.map((stage) => workStage({ ...dependencies, photos, hasher }, stage))
  const wake = () => {
    for (const worker of workers) worker.wake()
  }
  // Tasks are queued by any replica.
  const follow = async () => {
    for await (const _delivery of bus.subscribe(wakeTopic, { after: 'latest', signal })) wake()
  }
  follow().catch((error: unknown) => {
    if (!signal.aborted) log.warn({ err: error }, 'listings: photo workers are not woken, only polled')
  })
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(workers.map(({ ended }) => ended))
      await hasher[Symbol.asyncDispose]()
    },
  }
}
