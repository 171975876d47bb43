/**
 * Does something for somebody who waits for it only so long: its signal is aborted when the time is over, and when the given signal is. Rejects
 * then, whether the work takes notice or not.
 */
export const within = async <Result>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error(`There was no answer within ${milliseconds} ms.`)), milliseconds)
  const whole = signal ? AbortSignal.any([signal, late.signal]) : late.signal
  const aborted = Promise.withResolvers<never>()
  const leave = () => aborted.reject(whole.reason)
  whole.addEventListener('abort', leave, { once: true })
  try {
    whole.throwIfAborted()
    return await Promise.race([work(whole), aborted.promise])
  } finally {
    clearTimeout(timer)
    whole.removeEventListener('abort', leave)
  }
}
