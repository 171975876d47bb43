import type { DateOrder } from './calendar.ts'
import { siteCountry } from './sites.ts'

const localeOf = (tag: string | undefined): Intl.Locale | undefined => {
  try {
    return tag === undefined ? undefined : new Intl.Locale(tag)
  } catch {
    return undefined
  }
}

/**
 * The order of numeric dates on a page, by its language. English alone determines none: the country of its site does.
 * Undefined if the page has neither.
 */
export const dateOrderOf = (html: string, pageUrl: string): DateOrder => {
  const declared = localeOf(/<html\b[^<>]{0,1000}?\slang\s*=\s*["']?([\w-]+)/i.exec(html)?.[1])
  const isClear = declared !== undefined && (declared.region !== undefined || declared.language !== 'en')
  const country = siteCountry(pageUrl)
  const locale = isClear ? declared : localeOf(country && `und-${country}`)?.maximize()
  if (locale === undefined) return undefined
  // With a script ("en-Latn-GB"), ICU takes the formats of the language alone.
  const tag = [locale.language, locale.region].filter(Boolean).join('-')
  const parts = new Intl.DateTimeFormat(tag, { dateStyle: 'short', timeZone: 'UTC' }).formatToParts(0)
  const order = parts.map(({ type }) => type).filter((type) => type === 'day' || type === 'month')
  return order[0] === 'day' ? 'day first' : 'month first'
}
