const firstMilliseconds = 500
const maxMilliseconds = 30_000

/** Whether the same request may succeed later: a server that fails or is overloaded, or one that a proxy does not reach. */
export const mayPass = (status: number): boolean => status >= 500 || status === 408 || status === 429

/** The pause before an attempt after some failures in a row, in milliseconds: it doubles, and is at most half a minute. */
export const pauseBefore = (failures: number): number =>
  Math.min(maxMilliseconds, firstMilliseconds * 2 ** Math.min(failures - 1, 16))
