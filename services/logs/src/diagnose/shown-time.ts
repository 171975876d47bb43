import type { Zone } from '../formats/zone.ts'

const minute = 60_000
/** Shorter windows are shown to the second, and windows shorter than a second to the millisecond. */
const toTheMinute = 10 * minute
const toTheSecond = 1_000

const offsetInWords = (milliseconds: number): string => {
  if (milliseconds === 0) return 'UTC'
  const minutes = Math.abs(milliseconds) / minute
  const rest = minutes % 60
  const sign = milliseconds < 0 ? '-' : '+'
  return `UTC${sign}${Math.floor(minutes / 60)}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`
}

/** A time on the clock of a zone with its offset from UTC; to the minute, unless `characters` of its ISO form are requested. */
export const shownTime = (time: number, zone: Zone, characters = 16): string => {
  const offset = zone(time + zone(time))
  const local = new Date(time + offset).toISOString().slice(0, characters).replace('T', ' ')
  return `${local} ${offsetInWords(offset)}`
}

/** A time range in words, precise enough to distinguish its ends; null is an open end. */
export const windowInWords = (start: number | null, end: number | null, zone: Zone): string => {
  if (start !== null && end !== null) {
    const length = end - start
    const characters = length >= toTheMinute ? 16 : length >= toTheSecond ? 19 : 23
    return `between ${shownTime(start, zone, characters)} and ${shownTime(end, zone, characters)}`
  }
  if (start !== null) return `since ${shownTime(start, zone)}`
  return end === null ? 'at any time' : `before ${shownTime(end, zone)}`
}
