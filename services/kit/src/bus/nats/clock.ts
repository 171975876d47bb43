/** The time in milliseconds since 1970 by a clock that never jumps: two of its times are as far apart as they say. */
export const steadyNow = (): number => performance.timeOrigin + performance.now()
