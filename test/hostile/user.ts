import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Usage, Used } from './normal-user.ts'

export type User = {
  used: readonly Used[]
  /** Stops after the current requests. Throws errors of the thread. */
  stop: () => Promise<void>
}

/** Starts a normal user of the installation. */
export const startUser = (usage: Usage): User => {
  const used: Used[] = []
  const worker = new Worker(new URL('./normal-user.ts', import.meta.url), { workerData: usage })
  const ended = once(worker, 'exit')
  ended.catch(() => undefined)
  worker.on('message', (one: Used) => used.push(one))
  return {
    used,
    stop: async () => {
      worker.postMessage('end')
      await ended
    },
  }
}
