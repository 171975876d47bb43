const firstMilliseconds = 500
const maxMilliseconds = 30_000

/** Whether the same request may succeed later: an overloaded server, or one that a proxy does not reach. */
export const mayPass = (status: number): boolean => [408, 429, 502, 503, 504].includes(status)

/** The pause before an attempt after some failures in a row, in milliseconds: it doubles, and is at most half a minute. */
export const pauseBefore = (failures: number): number =>
  Math.min(maxMilliseconds, firstMilliseconds * 2 ** Math.min(failures - 1, 16))
