import type { DeletionListener, Follower, LogEngine } from './log-engine.ts'

export type Followers = Pick<LogEngine, 'follow'> & {
  readonly isEmpty: boolean
  notify: Follower
  notifyOfDeletion: DeletionListener
  /** Subscribes at a restarted thread, which does not know that there are followers. */
  resubscribe: () => void
}

/**
 * The followers of new entries. The thread is notified when the first follower comes and when the last leaves, so that it sends nothing without
 * followers.
 */
export const createFollowers = (listen: (isFollowed: boolean) => Promise<unknown>): Followers => {
  const followers = new Set<{ follower: Follower; onDeleted: DeletionListener | undefined }>()
  return {
    get isEmpty() {
      return followers.size === 0
    },
    notify: (arrival, version) => {
      for (const { follower } of followers) follower(arrival, version)
    },
    notifyOfDeletion: (source) => {
      for (const { onDeleted } of followers) onDeleted?.(source)
    },
    resubscribe: () => {
      if (followers.size > 0) void listen(true).catch(() => undefined)
    },
    follow: async (follower, onDeleted) => {
      const added = { follower, onDeleted }
      followers.add(added)
      await listen(true)
      return async () => {
        followers.delete(added)
        if (followers.size === 0) await listen(false)
      }
    },
  }
}
