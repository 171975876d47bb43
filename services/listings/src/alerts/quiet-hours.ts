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

const daily = (minutes: number): number => ((minutes % minutesPerDay) + minutesPerDay) % minutesPerDay

/** Minutes of quiet that are left by the clock on the wall; undefined outside of the quiet hours. */
const minutesLeft = (at: number, { start, end, timeZone }: QuietHours): number | undefined => {
  const sinceStart = daily(localMinutes(new Date(at), timeZone) - minutesOf(start))
  const length = daily(minutesOf(end) - minutesOf(start))
  return sinceStart >= length ? undefined : length - sinceStart
}

/**
 * When the quiet hours that contain `now` end by the clock on the wall, also in a night in which clocks change; undefined outside of them. Where the
 * change skips the time at which they end, they end up to an hour later.
 */
export const quietUntil = (now: Date, quiet: QuietHours | undefined): Date | undefined => {
  if (quiet === undefined) return undefined
  const whole = Math.floor(now.getTime() / minute) * minute
  const left = minutesLeft(whole, quiet)
  if (left === undefined) return undefined
  const unchanged = whole + left * minute
  const shown = daily(localMinutes(new Date(unchanged), quiet.timeZone) - minutesOf(quiet.end) + minutesPerDay / 2)
  const corrected = unchanged - (shown - minutesPerDay / 2) * minute
  return new Date(corrected > whole && minutesLeft(corrected, quiet) === undefined ? corrected : unchanged)
}
