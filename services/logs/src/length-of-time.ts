import { counted } from './counted.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** From 10 on the decimals are noise; below 10 one decimal is significant. */
const rounded = (value: number): number => (value >= 10 ? Math.round(value) : Math.round(value * 10) / 10)

/** A duration for people: `30 minutes`, `6 hours`, `3.8 days`. */
export const lengthOfTime = (milliseconds: number): string => {
  if (milliseconds < hour) return counted(Math.max(1, rounded(milliseconds / minute)), 'minute')
  if (milliseconds < 2 * day) return counted(rounded(milliseconds / hour), 'hour')
  return counted(rounded(milliseconds / day), 'day')
}
