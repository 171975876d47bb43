/** Memoizes an asynchronous function: concurrent callers share one call. After a failure the next caller tries again. */
export const once = <Value>(make: () => Promise<Value>): (() => Promise<Value>) => {
  let promise: Promise<Value> | undefined
  return () => {
    promise ??= make().catch((error: unknown) => {
      promise = undefined
      throw error
    })
    return promise
  }
}
