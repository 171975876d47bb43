import type { Follower, LogEngine } from './log-engine.ts'

export type Followers = Pick<LogEngine, 'follow'> & {
  readonly isEmpty: boolean
  notify: Follower
  /** Subscribes at a restarted thread, which does not know that there are followers. */
  resubscribe: () => void
}

/**
 * The followers of new entries. The thread is notified when the first follower comes and when the last leaves, so that it sends nothing without
 * followers.
 */
export const createFollowers = (listen: (isFollowed: boolean) => Promise<unknown>): Followers => {
  const followers = new Set<Follower>()
  return {
    get isEmpty() {
      return followers.size === 0
    },
    notify: (arrival, version) => {
      for (const follower of followers) follower(arrival, version)
    },
    resubscribe: () => {
      if (followers.size > 0) void listen(true).catch(() => undefined)
    },
    follow: async (follower) => {
      followers.add(follower)
      await listen(true)
      return async () => {
        followers.delete(follower)
        if (followers.size === 0) await listen(false)
      }
    },
  }
}
