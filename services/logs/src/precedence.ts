import { setImmediate } from 'node:timers/promises'

/**
 * How soon an answer is needed: somebody waits for it alone, it is one of many for an answer that somebody waits for, or nobody has asked for
 * it.
 */
export const urgencies = ['asked', 'gathered', 'unasked'] as const
export type Urgency = (typeof urgencies)[number]

/** A piece of work under way in a thread, until it is disposed of. */
export type Work = Disposable & {
  /** Waits for what is more urgent. */
  ready: () => Promise<void>
  /** Lets all others in the thread have their turn, and waits for what is more urgent. */
  pause: () => Promise<void>
}

/**
 * Who goes first where one thread does everything: a search would have to wait for as much of everything else as there is, slice by slice.
 * Nobody waits for long, so that nothing stands still where searches never end.
 */
export type Precedence = {
  begin: (urgency: Urgency) => Work
  /** Does a piece of work when it is its turn; it is given how to let others have theirs. */
  inTurn: <Result>(
    urgency: Urgency | undefined,
    work: (rest: () => Promise<void>) => Promise<Result>,
  ) => Promise<Result>
  /** Waits, for so many milliseconds at most, for what somebody has asked for. */
  afterAsked: (longest: number) => Promise<void>
}

/** A piece of work goes on after so long whatever else is under way, for a slice; in ms. */
const longestWait = 250

/** What comes in waits for what somebody has asked for so long at most, in ms: senders have more under way than that. */
export const longestHold = 25

type Waiting = { rank: number; goOn: () => void }

export const createPrecedence = (): Precedence => {
  const underWay = urgencies.map(() => 0)
  const waiting = new Set<Waiting>()
  const mustWait = (rank: number): boolean => underWay.some((count, other) => other < rank && count > 0)

  const wait = async (rank: number, longest: number): Promise<void> => {
    if (!mustWait(rank)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const one = { rank, goOn: resolve }
    waiting.add(one)
    const timer = setTimeout(resolve, longest)
    await promise
    clearTimeout(timer)
    waiting.delete(one)
  }
  const begin = (urgency: Urgency): Work => {
    const rank = urgencies.indexOf(urgency)
    underWay[rank] = (underWay[rank] ?? 0) + 1
    const ready = () => wait(rank, longestWait)
    return {
      ready,
      pause: async () => {
        await setImmediate()
        await ready()
      },
      [Symbol.dispose]: () => {
        underWay[rank] = (underWay[rank] ?? 0) - 1
        for (const one of waiting) if (!mustWait(one.rank)) one.goOn()
      },
    }
  }
  return {
    begin,
    inTurn: async (urgency = 'asked', work) => {
      using mine = begin(urgency)
      await mine.ready()
      return await work(mine.pause)
    },
    afterAsked: (longest) => wait(urgencies.indexOf('asked') + 1, longest),
  }
}
