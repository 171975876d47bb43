import type { AccountOpening } from './records.ts'

const day = 86_400_000

const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** The earlier of two days or times in ISO 8601. */
export const earlierOf = (one: string, other: string): string => (one.localeCompare(other) < 0 ? one : other)

/** The later of two days or times in ISO 8601. */
export const laterOf = (one: string, other: string): string => (earlierOf(one, other) === one ? other : one)

/** The last day of a year, or of one of its months. */
const endOf = (year: number, month = 12): string => isoDay(Date.UTC(year, month, 0))

/** The last day of the month that a date (YYYY-MM-DD) lies in. */
export const endOfMonth = (date: string): string => {
  const [year = 1970, month = 1] = date.split('-').map(Number)
  return endOf(year, month)
}

/**
 * When an account was opened, from the year, the month or the day that a page shows. The range ends with the day of observation; one day more
 * allows for the marketplace's time zone. Undefined for a date in the future.
 */
export const openingOf = (
  shown: { readonly year: number; readonly month: number | undefined; readonly day: number | undefined },
  observedAt: Date,
): AccountOpening | undefined => {
  const earliest = isoDay(Date.UTC(shown.year, (shown.month ?? 1) - 1, shown.day ?? 1))
  if (earliest > isoDay(observedAt.getTime() + day)) return undefined
  if (shown.day !== undefined) return { earliest, latest: earliest }
  const observed = isoDay(observedAt.getTime())
  return {
    earliest,
    latest: observed.localeCompare(earliest) < 0 ? earliest : earlierOf(endOf(shown.year, shown.month), observed),
  }
}

const daysSince = (date: string, now: Date): number =>
  Math.max(0, Math.floor((now.getTime() - Date.parse(`${date}T00:00:00Z`)) / day))

/** Age of an account in days, as a range. */
export const accountAge = (
  { earliest, latest }: AccountOpening,
  now: Date,
): { readonly atLeast: number; readonly atMost: number } => ({
  atLeast: daysSince(latest, now),
  atMost: daysSince(earliest, now),
})
