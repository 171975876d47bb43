import { randomUUID } from 'node:crypto'
import { serviceError } from '@trellis/kit/errors'
import type { Log } from '@trellis/kit/telemetry'
import { createPool, type Outcome, type WorkerKind } from '@trellis/kit/workloads'

/** Hashes images in a process of their own, which starts with the first one and ends when it is idle. */
export type PhotoHasher = AsyncDisposable & {
  /** The hash; null for images that have none. Throws if the image exceeds the limits of the process, or the process is lost. */
  readonly hash: (image: Uint8Array, signal: AbortSignal) => Promise<string | null>
}

const decoder: WorkerKind = {
  module: new URL('./main.ts', import.meta.url),
  environment: {},
  concurrency: 1,
  warm: 0,
  idleMilliseconds: 15_000,
  runsPerWorker: 500,
  memoryMegabytes: 128,
  residentMegabytes: 640,
}
const timeoutMilliseconds = 10_000

/** What a task fails with: the image is to blame, unless the service is shutting down. */
const failureOf = ({ detail, kind }: Extract<Outcome, { kind: 'failed' }>['failure']) =>
  kind === 'unavailable'
    ? serviceError('unavailable', detail)
    : serviceError('unsupported_media', `The photo could not be decoded. ${detail}`)

export const createPhotoHasher = ({
  log,
  kind = decoder,
  limitMilliseconds = timeoutMilliseconds,
}: {
  log: Log
  kind?: WorkerKind
  limitMilliseconds?: number
}): PhotoHasher => {
  const pool = createPool(kind, { name: 'photos', log })
  return {
    hash: async (image, signal) => {
      signal.throwIfAborted()
      const runId = randomUUID()
      const { promise: ended, resolve: onEnded } = Promise.withResolvers<Outcome>()
      const unheard = () => undefined
      pool.run({ runId, input: image, onStarted: unheard, onProgress: unheard, onOutput: unheard, onEnded })
      const cancel = () => pool.cancel(runId)
      signal.addEventListener('abort', cancel, { once: true })
      const timer = setTimeout(() => pool.exceed(runId), limitMilliseconds)
      try {
        const outcome = await ended
        signal.throwIfAborted()
        if (outcome.kind === 'failed') throw failureOf(outcome.failure)
        return Buffer.from(outcome.result).toString() || null
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', cancel)
      }
    },
    [Symbol.asyncDispose]: () => pool.close(),
  }
}
