import { compile, selectAll } from 'css-select'
import { type Card, type CardContext, type CompiledLayout, compileLayout, readCard } from './card.ts'
import { lines, visibleText } from './card-text.ts'
import { type Completeness, completenessOf, driftThreshold } from './completeness.ts'
import { cutByLinks, cutFew, fewestCards } from './cut-by-links.ts'
import { type CardFragment, classTokens, cutCards, isItemId, linkedItems } from './cut-cards.ts'
import { type ChildNode, type Element, parseMarkup } from './dom.ts'
import { countHeadings, type Layout, layouts, unknownLayout } from './layouts.ts'
import { refusalIn } from './refusal.ts'
import { siteCurrency } from './sites.ts'
import { announcesFewerWords, statesNothingFound } from './wording.ts'

/** Context of a page, known before it is read. */
export type PageContext = {
  readonly pageUrl: string
  readonly observedAt: Date
  /** Currency for a site whose domain determines none (a test server, an IP address). */
  readonly defaultCurrency: string
}

/**
 * A page of active or sold results. `cards` match the query; `fewerWords` are those after the divider that announces matches of
 * only some of its words. Anything other than a results page is `refused`; a page whose cards cannot be read well enough is
 * `drift`. Empty `cards` in `results` mean that nothing was found.
 */
export type SearchPage =
  | {
      readonly kind: 'results'
      readonly layout: string
      readonly cards: readonly Card[]
      readonly fewerWords: readonly Card[]
      /** Total results over all pages, according to the page; null if it does not show the number. */
      readonly total: number | null
      readonly completeness: Completeness
    }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'drift'; readonly reason: string; readonly completeness: Completeness }

const compiled: ReadonlyMap<string, CompiledLayout> = new Map(
  [...layouts, unknownLayout].map((layout) => [layout.name, compileLayout(layout)]),
)
const cardClasses = layouts.flatMap((layout) => layout.cardClasses)
const headingQueries = countHeadings.map((selector) => compile<ChildNode, Element>(selector))

const layoutOf = (fragment: CardFragment): Layout => {
  const classes = classTokens(/^<[^>\s]+([^>]*)>/.exec(fragment.html)?.[1] ?? '')
  return layouts.find((layout) => layout.cardClasses.some((name) => classes.includes(name))) ?? unknownLayout
}

/** Links to items in a gap belong to carousels; a title in them is not a notice. */
const itemLinks = /<a\b[^>]*\/itm\/[^>]*>[\s\S]*?<\/a>/gi

/** Text blocks of a notice between cards. */
const notices = (gap: string): readonly string[] => {
  if (!/\p{L}/u.test(gap)) return []
  const children = parseMarkup(gap.replace(itemLinks, ''))
  return [...children.map((child) => visibleText(child)), ...lines(children).map(({ text }) => text)]
}

const headingText = (html: string): string | undefined => {
  const at = html.search(/count-heading|results-count/)
  if (at < 0) return undefined
  const start = html.lastIndexOf('<', at)
  const children = parseMarkup(html.slice(start, start + 4000))
  for (const query of headingQueries) {
    const [heading] = selectAll<ChildNode, Element>(query, children)
    if (heading !== undefined) return visibleText(heading)
  }
  return undefined
}

/** A whole number, whose thousands some languages separate by spaces: "1 234 résultats". */
const wholeNumber = /\d{1,3}(?:[\s.,'’]\d{3})+(?!\d)|\d+/

/** A heading without the query that it repeats, whose numbers count nothing: "Results for iPhone 14". */
const withoutQuery = (heading: string, pageUrl: string | undefined): string => {
  const words = (URL.parse(pageUrl ?? '')?.searchParams.get('_nkw') ?? '').split(/\s+/).filter((word) => word !== '')
  if (words.length === 0) return heading
  const query = words.map((word) => RegExp.escape(word)).join(String.raw`\s+`)
  const last = Array.from(heading.matchAll(new RegExp(`(?<![\\p{L}\\p{N}.,])${query}(?![\\p{L}\\p{N}])`, 'giu'))).at(-1)
  // A number that stands first counts the results, even if it is the query.
  if (last === undefined || last.index === 0) return heading
  return `${heading.slice(0, last.index)} ${heading.slice(last.index + last[0].length)}`
}

const totalIn = (heading: string | undefined, pageUrl?: string): number | null => {
  const digits = wholeNumber.exec(withoutQuery(heading ?? '', pageUrl))?.[0]
  return digits === undefined ? null : Number(digits.replace(/\D/g, ''))
}

const nothingFound = (html: string): boolean => {
  const main = /<(?:h[1-4]|p|span|div)[^<>]*>([^<]{4,120})</gi
  for (const [, text] of html.matchAll(main)) if (text !== undefined && statesNothingFound(text)) return true
  return false
}

const currencyOfPage = (
  html: string,
  fragments: readonly CardFragment[],
  { pageUrl, defaultCurrency }: PageContext,
): string => {
  const canonical = /<link[^<>]+rel=["']?canonical["']?[^<>]*>/i.exec(html)?.[0]
  const candidates = [
    /https?:\/\/[^\s"'<>]+\/itm\/[^\s"'<>?]+/.exec(fragments[0]?.html ?? '')?.[0],
    /href=["']?([^\s"'>]+)/i.exec(canonical ?? '')?.[1],
    pageUrl,
  ]
  return candidates.map(siteCurrency).find((currency) => currency !== undefined) ?? defaultCurrency
}

/** The number of results over all pages that a page announces; null if it shows none. */
export const announcedTotal = (html: string, pageUrl?: string): number | null => totalIn(headingText(html), pageUrl)

/** Whether a page of results states that there are none. */
export const announcesNothing = (html: string): boolean => announcedTotal(html) === 0 || nothingFound(html)

const withoutCards = (html: string, pageUrl: string): SearchPage => {
  const refusal = refusalIn(html)
  if (refusal !== undefined) return { kind: 'refused', reason: refusal }
  const total = announcedTotal(html, pageUrl)
  const completeness = completenessOf([])
  if (total === 0 || nothingFound(html))
    return { kind: 'results', layout: 'none', cards: [], fewerWords: [], total: 0, completeness }
  return total === null
    ? { kind: 'refused', reason: 'it answered with something other than a page of results' }
    : {
        kind: 'drift',
        reason: `the page announces ${total} results, but none of its cards is recognized`,
        completeness,
      }
}

/**
 * The cards of a page. A list that only looks like the results must contain most of the items that the page links to;
 * otherwise it may be a carousel, and the results may be in no list at all.
 */
const cut = (html: string, pageUrl: string): readonly CardFragment[] => {
  const { fragments, isKnownList } = cutCards(html, cardClasses)
  const items = linkedItems(html).filter(isItemId).length
  const total = isKnownList ? null : announcedTotal(html, pageUrl)
  if (total !== null && total > 0 && total < fewestCards && fragments.length !== total) {
    const few = cutFew(html, total)
    if (few.length === total) return few
  }
  if (isKnownList || fragments.length * 2 > items) return fragments
  const byLinks = cutByLinks(html)
  return byLinks.length > fragments.length ? byLinks : fragments
}

const readFragments = (fragments: readonly CardFragment[], context: CardContext) => {
  const cards: Card[] = []
  const fewerWords: Card[] = []
  let pastDivider = false
  for (const fragment of fragments) {
    pastDivider ||= notices(fragment.gapBefore).some(announcesFewerWords)
    const layout = compiled.get(layoutOf(fragment).name)
    const card = layout === undefined ? undefined : readCard(fragment, layout, context)
    if (card !== undefined) (pastDivider ? fewerWords : cards).push(card)
  }
  return { cards, fewerWords }
}

/** Reads a page of results in any layout. Pure; about 10 ms for a page of 60 cards. */
export const readSearchPage = (html: string, context: PageContext): SearchPage => {
  const { pageUrl, observedAt } = context
  const fragments = cut(html, pageUrl)
  const { cards, fewerWords } = readFragments(fragments, {
    pageUrl,
    observedAt,
    siteCurrency: currencyOfPage(html, fragments, context),
  })
  const all = [...cards, ...fewerWords]
  if (all.length === 0) return withoutCards(html, pageUrl)
  const completeness = completenessOf(all)
  if (completeness.usable < driftThreshold) {
    const percent = Math.round(completeness.usable * 100)
    const reason = `only ${percent} % of ${all.length} cards have an id, a title and a price: the page's layout has changed`
    return { kind: 'drift', reason, completeness }
  }
  const [first] = fragments
  const layout = first === undefined ? 'none' : layoutOf(fragments.at(-1) ?? first).name
  const total = announcedTotal(html, pageUrl)
  // The page suggests other items after it has stated that nothing matches; the words of its divider may be unknown.
  if (total === 0 && nothingFound(html))
    return { kind: 'results', layout, cards: [], fewerWords: all, total, completeness }
  return { kind: 'results', layout, cards, fewerWords, total, completeness }
}
