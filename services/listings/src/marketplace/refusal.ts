/**
 * Pages that a marketplace sends in place of a result. They count as refusals, never as "no results". Titles and markers are
 * matched only on pages without any result card, so that a listing cannot trigger them.
 */
const titles: readonly RegExp[] = [
  /pardon our interruption/i,
  /service unavailable/i,
  /error page/i,
  /access (?:is )?denied/i,
  /attention required/i,
  /security (?:measure|check)/i,
  /robot check/i,
  /verify (?:yourself|you are)/i,
  /checking your browser/i,
  /just a moment/i,
  /too many requests/i,
  /forbidden/i,
  /bad gateway/i,
  /(?:sign in|log in) (?:or register|to)/i,
]

const markers: readonly RegExp[] = [
  /splashui/i,
  /\/challenge(?:page)?[/?"']/i,
  /class=["']?[^"'>]*\bcaptcha/i,
  /id=["']?captcha/i,
  /please verify yourself/i,
  /checking your browser before you access/i,
]

/** Longest page that is searched for markers, in characters: a real page may contain the words in its scripts. */
const longestRefusal = 150_000

/** Text of the page's title element. */
export const pageTitle = (html: string): string | undefined =>
  /<title[^<>]*>([^<]{0,300})/i.exec(html)?.[1]?.replace(/\s+/g, ' ').trim()

/** Why a page without cards is a refusal, as a phrase for the user; undefined if it is not recognized as one. */
export const refusalIn = (html: string): string | undefined => {
  const title = pageTitle(html) ?? ''
  if (titles.some((pattern) => pattern.test(title))) return `it answered with a page titled "${title}"`
  if (html.length <= longestRefusal && markers.some((pattern) => pattern.test(html)))
    return 'it answered with a challenge instead of results'
  return undefined
}
