import { setTimeout as sleep } from 'node:timers/promises'

/** Polls the condition every 10 ms until it holds; throws after `limit` milliseconds, which only a failing test waits for. */
export const eventually = async (
  condition: () => boolean | Promise<boolean>,
  what: string,
  limit = 60_000,
): Promise<void> => {
  const until = performance.now() + limit
  while (!(await condition())) {
    if (performance.now() > until) throw new Error(`The condition did not hold within ${limit / 1_000} s: ${what}.`)
    await sleep(10)
  }
}
