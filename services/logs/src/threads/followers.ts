import type { Follower, LogEngine } from './log-engine.ts'

export type Followers = Pick<LogEngine, 'follow'> & {
  readonly isEmpty: boolean
  tell: Follower
  /** The thread is another one, which does not know that somebody follows. */
  again: () => void
}

/** Who follows what arrives. The thread that hears of it is told when the first comes and when the last has left: it sends nothing to nobody. */
export const createFollowers = (listen: (isFollowed: boolean) => Promise<unknown>): Followers => {
  const followers = new Set<Follower>()
  return {
    get isEmpty() {
      return followers.size === 0
    },
    tell: (arrival, version) => {
      for (const follower of followers) follower(arrival, version)
    },
    again: () => {
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
