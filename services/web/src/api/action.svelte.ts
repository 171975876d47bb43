import { type Failure, isAbort, toFailure } from './failure.ts'

/**
 * A change that the user starts: `const save = action(() => call(...))`, then `save.run()`, `save.isRunning` and `save.failure`. A second start while
 * it runs is ignored. With `inTurn`, for the rows of a list and for controls that are saved as they are changed, it waits for the first, and only
 * one with the same arguments, such as a double click, is ignored.
 */
export const action = <Arguments extends unknown[], Value>(
  perform: (...values: Arguments) => Promise<Value>,
  { inTurn = false }: { inTurn?: boolean } = {},
) => {
  let last: Promise<unknown> = Promise.resolve()
  const pending = new Set<string>()
  let shownPending = $state.raw<ReadonlySet<string>>(pending)
  let isRunning = $state(false)
  let failure = $state.raw<Failure | undefined>(undefined)
  const start = async (...values: Arguments): Promise<Value | undefined> => {
    isRunning = true
    try {
      return await perform(...values)
    } catch (error) {
      if (!isAbort(error)) failure = toFailure(error)
      return undefined
    } finally {
      isRunning = false
    }
  }
  return {
    get isRunning() {
      return isRunning
    },
    get failure() {
      return failure
    },
    /** Whether one with these arguments runs or waits for its turn. */
    isPending: (...values: Arguments): boolean => shownPending.has(JSON.stringify(values)),
    dismiss: () => {
      failure = undefined
    },
    /** The result, or undefined if it failed or was ignored; if it failed, `failure` is set. */
    run: async (...values: Arguments): Promise<Value | undefined> => {
      if (isRunning && !inTurn) return undefined
      const key = JSON.stringify(values)
      if (pending.has(key)) return undefined
      // Why one failed stays while those that were started before it was shown are still running.
      if (pending.size === 0) failure = undefined
      if (!inTurn) return start(...values)
      pending.add(key)
      shownPending = new Set(pending)
      const turn = last
        .then(() => start(...values))
        .finally(() => {
          pending.delete(key)
          shownPending = new Set(pending)
        })
      last = turn
      return turn
    },
  }
}

export type Action<Arguments extends unknown[], Value> = ReturnType<typeof action<Arguments, Value>>
