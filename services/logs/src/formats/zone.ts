const hour = 3_600_000
const maxHours = 4_096

/** Milliseconds by which a zone is ahead of UTC at a local time (milliseconds as if it were UTC). */
export type Zone = (localTime: number) => number

export const utc: Zone = () => 0

/** Abbreviations that logs carry, in minutes ahead of UTC; ambiguous ones as they are most used in logs. */
const zoneMinutes: Record<string, number> = {
  UTC: 0,
  GMT: 0,
  Z: 0,
  WET: 0,
  BST: 60,
  WEST: 60,
  CET: 60,
  MET: 60,
  CEST: 120,
  MEST: 120,
  EET: 120,
  EEST: 180,
  MSK: 180,
  METDST: 120,
  MSD: 240,
  SAST: 120,
  WAT: 60,
  CAT: 120,
  EAT: 180,
  TRT: 180,
  IDT: 180,
  GST: 240,
  PKT: 300,
  NPT: 345,
  ICT: 420,
  WIB: 420,
  NST: -210,
  NDT: -150,
  AST: -240,
  ADT: -180,
  CLT: -240,
  COT: -300,
  PET: -300,
  EST: -300,
  EDT: -240,
  CST: -360,
  CDT: -300,
  MST: -420,
  MDT: -360,
  PST: -480,
  PDT: -420,
  AKST: -540,
  AKDT: -480,
  HST: -600,
  JST: 540,
  KST: 540,
  IST: 330,
  SGT: 480,
  HKT: 480,
  AWST: 480,
  ACST: 570,
  ACDT: 630,
  AEST: 600,
  AEDT: 660,
  NZST: 720,
  NZDT: 780,
  BRT: -180,
  ART: -180,
}

/** undefined for letters that name no zone we know. */
export const minutesOfAbbreviation = (name: string): number | undefined => zoneMinutes[name]

const offsetPattern = /^(?:UTC|GMT)?(?<sign>[+-])(?<hours>\d{1,2}):?(?<minutes>\d\d)?$/

/**
 * A zone by its IANA name (`Europe/Berlin`), an offset (`+02:00`) or an abbreviation. undefined for what names none.
 * In the hour that a clock shows twice, the first is taken.
 */
export const zoneOf = (name: string): Zone | undefined => {
  const offset = offsetPattern.exec(name)?.groups
  if (offset) {
    const minutes = Number(offset.hours) * 60 + Number(offset.minutes ?? 0)
    const milliseconds = (offset.sign === '-' ? -minutes : minutes) * 60_000
    return () => milliseconds
  }
  const minutes = minutesOfAbbreviation(name.toUpperCase())
  if (minutes !== undefined) return () => minutes * 60_000
  try {
    return namedZone(new Intl.DateTimeFormat('en-GB', { timeZone: name, timeZoneName: 'longOffset' }))
  } catch {
    return undefined
  }
}

const namedZone = (format: Intl.DateTimeFormat): Zone => {
  const offsets = new Map<number, number>()
  const offsetAt = (time: number): number => {
    const name = format.formatToParts(time).find((part) => part.type === 'timeZoneName')?.value ?? 'GMT'
    return name === 'GMT' ? 0 : (zoneOf(name)?.(0) ?? 0)
  }
  return (localTime) => {
    const key = Math.floor(localTime / hour)
    const known = offsets.get(key)
    if (known !== undefined) return known
    // An hour's offset is asked for at the moment that the clock showed it with the offset of an hour before.
    const before = offsetAt(localTime - offsetAt(localTime) - hour)
    const offset = offsetAt(localTime - before) === before ? before : offsetAt(localTime - offsetAt(localTime - before))
    if (offsets.size >= maxHours) offsets.clear()
    offsets.set(key, offset)
    return offset
  }
}
