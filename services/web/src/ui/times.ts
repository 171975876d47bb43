export type Zone = 'local' | 'utc'

const formats = new Map<string, Intl.DateTimeFormat>()

const formatter = (zone: Zone, hasMilliseconds: boolean): Intl.DateTimeFormat => {
  const key = `${zone}${hasMilliseconds}`
  const known = formats.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-GB', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    ...(hasMilliseconds ? { fractionalSecondDigits: 3 as const } : {}),
    hourCycle: 'h23',
    ...(zone === 'utc' ? { timeZone: 'UTC' } : {}),
  })
  formats.set(key, made)
  return made
}

const partsOf = (time: Date, zone: Zone, hasMilliseconds: boolean): Record<string, string> =>
  Object.fromEntries(
    formatter(zone, hasMilliseconds)
      .formatToParts(time)
      .map(({ type, value }) => [type, value]),
  )

/** `2026-03-01 09:15:02.123`, in a zone; the text itself if it is no time. */
export const formatTime = (iso: string, zone: Zone, { milliseconds = false, date = true } = {}): string => {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return iso
  const { year, month, day, hour, minute, second, fractionalSecond } = partsOf(time, zone, milliseconds)
  const clock = `${hour}:${minute}:${second}${milliseconds ? `.${fractionalSecond}` : ''}`
  return date ? `${year}-${month}-${day} ${clock}` : clock
}

const steps: readonly (readonly [limit: number, seconds: number, unit: string])[] = [
  [60, 1, 's'],
  [3_600, 60, 'min'],
  [86_400, 3_600, 'h'],
  [2 * 365 * 86_400, 86_400, 'd'],
  [Infinity, 365.25 * 86_400, 'y'],
]

/** How long ago, in the largest unit: `3 min ago`, `in 2 h`. */
export const formatAgo = (iso: string, now: number): string => {
  const seconds = (now - Date.parse(iso)) / 1_000
  if (Number.isNaN(seconds)) return iso
  const size = Math.abs(seconds)
  if (size < 5) return 'now'
  const [, divisor, unit] = steps.find(([limit]) => size < limit) ?? [0, 365.25 * 86_400, 'y']
  const text = `${Math.round(size / divisor)} ${unit}`
  return seconds < 0 ? `in ${text}` : `${text} ago`
}

/** A length of time in its two largest units: `3 d 4 h`, `1 h 5 min`, `12.3 s`, `850 ms`. */
export const formatDuration = (milliseconds: number): string => {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1_000
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min${Math.round(seconds % 60) ? ` ${Math.round(seconds % 60)} s` : ''}`
  const hours = Math.floor(minutes / 60)
  if (hours >= 48) return `${Math.floor(hours / 24)} d${hours % 24 ? ` ${hours % 24} h` : ''}`
  return `${hours} h${minutes % 60 ? ` ${minutes % 60} min` : ''}`
}
