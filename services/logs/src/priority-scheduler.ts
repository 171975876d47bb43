import { setImmediate } from 'node:timers/promises'

/**
 * Priorities of queries, highest first. A caller waits for the answer to an interactive query; a batch query is one of several that an
 * answer needs; no caller waits for a background query.
 */
export const priorities = ['interactive', 'batch', 'background'] as const
export type Priority = (typeof priorities)[number]

/** A task that runs in a thread, until it is disposed of. */
export type Task = Disposable & {
  /** Waits for tasks of higher priority. */
  ready: () => Promise<void>
  /** Yields to all other tasks of the thread, and waits for those of higher priority. */
  pause: () => Promise<void>
}

/**
 * Cooperative scheduling by priority in one thread: without it a search would wait for every other query, slice by slice. Each wait is
 * bounded, so endless searches starve nothing.
 */
export type PriorityScheduler = {
  begin: (priority: Priority) => Task
  /** Runs a task when no task of higher priority does. The task is passed the function with which it yields. */
  run: <Result>(
    priority: Priority | undefined,
    task: (pause: () => Promise<void>) => Promise<Result>,
  ) => Promise<Result>
  /** Waits until no interactive task runs, for at most `maxMilliseconds`. */
  afterInteractive: (maxMilliseconds: number) => Promise<void>
}

/** Time after which a task continues for a slice whatever else runs, in milliseconds. */
const maxWaitMilliseconds = 250

/** The time for which incoming entries wait for interactive tasks, in milliseconds: short, as senders have more batches in flight. */
export const maxIngestDelayMilliseconds = 25

type Waiting = { rank: number; resume: () => void }

export const createPriorityScheduler = (): PriorityScheduler => {
  const running = priorities.map(() => 0)
  const waiting = new Set<Waiting>()
  const mustWait = (rank: number): boolean => running.some((count, other) => other < rank && count > 0)

  const wait = async (rank: number, maxMilliseconds: number): Promise<void> => {
    if (!mustWait(rank)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const one = { rank, resume: resolve }
    waiting.add(one)
    const timer = setTimeout(resolve, maxMilliseconds)
    await promise
    clearTimeout(timer)
    waiting.delete(one)
  }
  const begin = (priority: Priority): Task => {
    const rank = priorities.indexOf(priority)
    running[rank] = (running[rank] ?? 0) + 1
    const ready = () => wait(rank, maxWaitMilliseconds)
    return {
      ready,
      pause: async () => {
        await setImmediate()
        await ready()
      },
      [Symbol.dispose]: () => {
        running[rank] = (running[rank] ?? 0) - 1
        for (const one of waiting) if (!mustWait(one.rank)) one.resume()
      },
    }
  }
  return {
    begin,
    run: async (priority = 'interactive', task) => {
      using begun = begin(priority)
      await begun.ready()
      return await task(begun.pause)
    },
    afterInteractive: (maxMilliseconds) => wait(priorities.indexOf('interactive') + 1, maxMilliseconds),
  }
}
