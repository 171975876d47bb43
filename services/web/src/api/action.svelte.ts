import { type Failure, isAbort, toFailure } from './failure.ts'

/** A change that the user starts: `const save = action(() => call(...))`, then `save.run()`, `save.isRunning` and `save.failure`. */
export const action = <Arguments extends unknown[], Value>(perform: (...values: Arguments) => Promise<Value>) => {
  let isRunning = $state(false)
  let failure = $state.raw<Failure | undefined>(undefined)
  return {
    get isRunning() {
      return isRunning
    },
    get failure() {
      return failure
    },
    dismiss: () => {
      failure = undefined
    },
    /** The result, or undefined if it failed; then `failure` says why. A second start while it runs is ignored. */
    run: async (...values: Arguments): Promise<Value | undefined> => {
      if (isRunning) return undefined
      isRunning = true
      failure = undefined
      try {
        return await perform(...values)
      } catch (error) {
        if (!isAbort(error)) failure = toFailure(error)
        return undefined
      } finally {
        isRunning = false
      }
    },
  }
}

export type Action<Arguments extends unknown[], Value> = ReturnType<typeof action<Arguments, Value>>
