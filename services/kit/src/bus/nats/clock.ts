/** The time in milliseconds since 1970, by a monotonic clock. */
export const steadyNow = (): number => performance.timeOrigin + performance.now()
