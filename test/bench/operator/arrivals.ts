import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Calls so many times, so often a second, each at its own time, whether or not the calls before it have ended: who is slow
 * is not spared. Resolves with all results; times are those of the monotonic clock.
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
