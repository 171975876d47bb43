import { CommandFailure } from '../failure.ts'

const unitMilliseconds: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** What help says about times. */
export const momentHelp = `  --since TIME      from then: 90s, 30m, 2h, 7d or 1w ago, or a time such as 2026-03-01T09:15:02Z
  --until TIME      until then, in the same form`

/** The value of a time option as ISO 8601. A length of time is that long before now. Throws CommandFailure for a length that is too long. */
export const momentOf = (name: string, text: string | undefined, now: number): string | undefined => {
  const [, count, unit = ''] = /^-?(\d{1,9})([smhdw])$/.exec(text ?? '') ?? []
  if (count === undefined) return text
  const time = new Date(now - Number(count) * (unitMilliseconds[unit] ?? 0))
  if (Number.isNaN(time.getTime())) throw new CommandFailure(`--${name} is longer ago than a time can be.`, 2)
  return time.toISOString()
}
