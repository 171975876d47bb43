import { vi } from 'vitest'

/** How long tests wait for what must happen. Ample, so that a busy machine fails no test. */
const timeout = 120_000

/** Repeats a check until it passes, and returns its result. In place of `vi.waitFor`, which gives up after a second. */
export const waitFor = <Result>(
  check: () => Result | Promise<Result>,
  options: { timeout?: number; interval?: number } = {},
): Promise<Result> => vi.waitFor(check, { timeout, interval: 50, ...options })
