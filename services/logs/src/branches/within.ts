/**
 * Runs work with a time limit: its signal is aborted when the time is over, and when `signal` is. The promise rejects then, whether or not the
 * work reacts to its signal.
 */
export const within = async <Result>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const late = new AbortController()
  const timer = setTimeout(
    () => late.abort(new Error(`There was no response within ${milliseconds} ms.`)),
    milliseconds,
  )
  const combined = signal ? AbortSignal.any([signal, late.signal]) : late.signal
  const aborted = Promise.withResolvers<never>()
  const leave = () => aborted.reject(combined.reason)
  combined.addEventListener('abort', leave, { once: true })
  try {
    combined.throwIfAborted()
    return await Promise.race([work(combined), aborted.promise])
  } finally {
    clearTimeout(timer)
    combined.removeEventListener('abort', leave)
  }
}
