const firstPause = 5_000
const longestPause = 3_600_000
/** A receiver that asks for more than this is not obeyed: nobody waits for days. */
const longestAsked = 24 * 3_600_000

/** Milliseconds that a `Retry-After` header (RFC 9110, section 10.2.3) asks for: seconds, or a date. Undefined where it says neither. */
export const retryAfter = (header: string | null, now: number): number | undefined => {
  if (header === null) return undefined
  const asked = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now
  return Number.isNaN(asked) ? undefined : Math.min(Math.max(asked, 0), longestAsked)
}

/** The pause after so many attempts: twice as long each time, of random length so that what failed together does not come together; not shorter than was asked for. */
export const pauseAfter = (attempts: number, asked: number | undefined, random: () => number): number => {
  const whole = Math.min(firstPause * 2 ** (attempts - 1), longestPause)
  return Math.max(whole * (0.5 + random() / 2), asked ?? 0)
}
