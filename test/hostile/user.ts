import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Usage, Used } from './normal-user.ts'

export type User = {
  used: readonly Used[]
  /** Ends after the requests under way. Throws what went wrong in the thread. */
  stop: () => Promise<void>
}

/** Lets someone use the installation until stopped. */
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
