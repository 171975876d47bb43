import { createSerialQueue, type SerialQueue } from '@trellis/kit/lifecycle'

/** The shard was closed before the work began: nothing was done, and the caller can repeat it on the next shard. */
export class ShardClosed extends Error {
  override name = 'ShardClosed'
}

/** A serial queue that starts no more work once it is closed, because another writer may have taken over the files. */
export type ClosableSerialQueue = Pick<SerialQueue, 'run'> & {
  /** Resolves when all queued work is done; later work fails with ShardClosed. */
  close: () => Promise<void>
}

export const createClosableSerialQueue = (): ClosableSerialQueue => {
  const serialQueue = createSerialQueue()
  let isClosed = false
  return {
    run: (work) => {
      if (isClosed) return Promise.reject(new ShardClosed('The shard is closed.'))
      return serialQueue.run(work)
    },
    close: async () => {
      isClosed = true
      await serialQueue.drain()
    },
  }
}
