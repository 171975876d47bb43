import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Issues `count` calls at a fixed rate in an open loop, whether or not earlier calls have ended, so that a slow server gets no
 * relief. Resolves with all results; uses the monotonic clock.
 */
export const openLoop = async <Result>(
  { count, perSecond }: { count: number; perSecond: number },
  call: (at: number) => Promise<Result>,
): Promise<Result[]> => {
  const began = performance.now()
  const calls: Promise<Result>[] = []
  for (let at = 0; at < count; at += 1) {
    const due = began + (at * 1_000) / perSecond
    const early = due - performance.now()
    if (early > 0) await sleep(early)
    calls.push(call(at))
  }
  return Promise.all(calls)
}
