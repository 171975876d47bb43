import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '@trellis/kit/errors'
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

/** Notified when tasks are queued on any replica; `next` resolves at the next notification, or after a while. */
const createWake = ({ bus, log }: Dependencies, signal: AbortSignal) => {
  let waiting = Promise.withResolvers<void>()
  const follow = async () => {
    for await (const _delivery of bus.subscribe(wakeTopic, { after: 'latest', signal })) {
      const { resolve } = waiting
      waiting = Promise.withResolvers<void>()
      resolve()
    }
  }
  follow().catch((error: unknown) => {
    if (!signal.aborted) log.warn({ err: error }, 'listings: photo workers are not woken, only polled')
  })
  /** Call before looking at the queue, so that no notification is missed in between. */
  const next = (): (() => Promise<void>) => {
    const { promise } = waiting
    return async () => {
      const over = new AbortController()
      const pause = sleep(roundMilliseconds, undefined, { signal: AbortSignal.any([signal, over.signal]), ref: false })
      await Promise.race([promise, pause]).catch(() => undefined)
      over.abort()
    }
  }
  return { next }
}

/** Works a stage until the signal aborts. One replica at a time does, so tasks are performed in order, by one worker. */
const workStage = async (
  dependencies: PhotoDependencies,
  stage: TaskStage,
  wake: ReturnType<typeof createWake>,
): Promise<void> => {
  const { db, leases, log, signal } = dependencies
  while (!signal.aborted) {
    const woken = wake.next()
    try {
      if (await hasTasks(db, stage)) {
        await using lease = await leases.take(`photos ${stage}`, signal)
        if (lease !== undefined) await workThrough(dependencies, stage, lease.signal)
      }
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, stage }, 'listings: photo tasks interrupted, trying again')
    }
    if (!signal.aborted) await woken()
  }
}

/** Compares and analyses the photos of listings until the signal of the dependencies aborts; disposal waits for the workers. */
export const openPhotoAnalysis = (dependencies: Dependencies, photos: PhotoSource): AsyncDisposable => {
  const { log, signal } = dependencies
  const hasher = createPhotoHasher({ log })
  const wake = createWake(dependencies, signal)
  const workers = Promise.all(stages.map((stage) => workStage({ ...dependencies, photos, hasher }, stage, wake)))
  return {
    [Symbol.asyncDispose]: async () => {
      await workers
      await hasher[Symbol.asyncDispose]()
    },
  }
}
