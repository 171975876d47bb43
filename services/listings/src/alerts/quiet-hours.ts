/** A daily span of local time, HH:MM each; `end` before `start` spans midnight. */
export type QuietHours = { readonly start: string; readonly end: string; readonly timeZone: string }

const minutesPerDay = 24 * 60
const minute = 60_000

const minutesOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

/** Whether the runtime knows a time zone. */
export const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Minutes since local midnight, by the clock on the wall. */
const localMinutes = (now: Date, timeZone: string): number => {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  return minutesOf(format.format(now))
}

/**
 * When the quiet hours that contain `now` end; undefined outside of them. On the day that clocks change, this may be an hour
 * early or late: callers check again at that time.
 */
export const quietUntil = (now: Date, quiet: QuietHours | undefined): Date | undefined => {
  if (quiet === undefined) return undefined
  const [start, end] = [minutesOf(quiet.start), minutesOf(quiet.end)]
  const local = localMinutes(now, quiet.timeZone)
  const sinceStart = (local - start + minutesPerDay) % minutesPerDay
  const length = (end - start + minutesPerDay) % minutesPerDay
  if (sinceStart >= length) return undefined
  const whole = Math.floor(now.getTime() / minute) * minute
  return new Date(whole + (length - sinceStart) * minute)
}
