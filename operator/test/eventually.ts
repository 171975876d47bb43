import { setTimeout as sleep } from 'node:timers/promises'

/** Looks every few milliseconds until the condition holds; throws after so many milliseconds, which no test waits for in vain. */
export const eventually = async (
  condition: () => boolean | Promise<boolean>,
  what: string,
  limit = 60_000,
): Promise<void> => {
  const until = performance.now() + limit
  while (!(await condition())) {
    if (performance.now() > until) throw new Error(`It did not come about within ${limit / 1_000} s: ${what}.`)
    await sleep(10)
  }
}
