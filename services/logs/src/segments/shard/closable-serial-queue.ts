import { createSerialQueue, type SerialQueue } from '@trellis/kit/lifecycle'

/** The shard was closed before this began: nothing of it was done, and the caller can repeat it on the shard that replaced this one. */
export class ShardClosed extends Error {
  override name = 'ShardClosed'
}

/** Turns that begin no more work once they are closed: another writer may have taken over the files. */
export type ClosableTurns = Pick<SerialQueue, 'run'> & {
  /** Resolves when all work that was requested before is done; work requested after it fails with ShardClosed. */
  close: () => Promise<void>
}

export const createClosableTurns = (): ClosableTurns => {
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
