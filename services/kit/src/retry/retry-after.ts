/** The three formats of dates in HTTP begin with the day of the week; only the oldest does not name its time zone, which is GMT. */
const dateOf = (text: string): number =>
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : Number.NaN

/**
 * The seconds that a `Retry-After` header (RFC 9110, section 10.2.3) requests: a number, or the time until a date, not below 0.
 * Undefined without a header, and for one that is neither. Callers bound it: a wrong header must not stop them for good.
 */
export const parseRetryAfter = (header: string | null | undefined, now: number): number | undefined => {
  const text = header?.trim() ?? ''
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (dateOf(text) - now) / 1_000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}
