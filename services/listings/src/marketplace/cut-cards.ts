import { resultLists } from './layouts.ts'

/** One result card, cut out of its page. */
export type CardFragment = {
  readonly html: string
  /** Marketplace id of the item that the card links to; undefined if it links to none. */
  readonly itemId: string | undefined
  /** Markup between the previous card (or the start of the list) and this one, which may contain notices. */
  readonly gapBefore: string
}

type Element = {
  readonly name: string
  readonly attributes: string
  readonly start: number
  readonly contentStart: number
  readonly parent: Element | undefined
  /** Number of lists and items around it. */
  readonly depth: number
  readonly children: Element[]
  end: number
}

type Span = readonly [start: number, end: number]

/** Lists and their items that are nested deeper are not searched for cards: each level searches its markup again. */
const maxDepth = 64
/** How much of the page before the first list is searched for a notice that applies to all results, in characters. */
const leadIn = 20_000
/** Longest gap between two cards that is searched for a notice, in characters. */
const longestGap = 500_000

/** Links to an item, and to a product of the catalogue of which an item is offered. */
const itemLink =
  /\/itm\/(?:[^"'\s?#/<>]{1,200}\/)?(\d{1,19})(?!\d)|\/p\/\d{1,19}\?(?:[^"'\s#<>]{1,200}[&;])?iid=(\d{1,19})(?!\d)/g
/** Minimum digits of an item's id: links of cards that advertise the site itself have shorter numbers. */
const shortestItemId = 8

/** Ids of the items that markup links to, in order and without duplicates, including those of advertisements. */
export const linkedItems = (html: string): readonly string[] => [
  ...new Set(Array.from(html.matchAll(itemLink), (match) => match[1] ?? match[2] ?? '')),
]

/** Whether a number in a link is the id of an item rather than of an advertisement. */
export const isItemId = (id: string): boolean => id.length >= shortestItemId

/** The id of an item in the attribute of a card; undefined for the longer number of an advertisement of the site itself. */
export const listedItemId = (attribute: string | undefined): string | undefined =>
  /^\d{8,13}$/.exec(attribute?.trim() ?? '')?.[0]

const listed = /\sdata-listingid\s*=\s*["']?(\d{1,20})(?!\d)/gi

/** Ids of the items in the attributes of cards, in order and without duplicates. */
const listedItems = (html: string): readonly string[] => [
  ...new Set(Array.from(html.matchAll(listed), (match) => listedItemId(match[1]) ?? '').filter((id) => id !== '')),
]

/** Position just past the `>` that closes the tag starting at `start`, with quoted attribute values skipped. */
const tagEnd = (html: string, start: number): number => {
  let quote = ''
  for (let at = start; at < html.length; at++) {
    const character = html[at]
    if (quote !== '') {
      if (character === quote) quote = ''
    } else if (character === '"' || character === "'") {
      if (/[=\s]/.test(html[at - 1] ?? '')) quote = character
    } else if (character === '>') return at + 1
  }
  return html.length
}

const landmark = /<(?:!--|\/?(?:ul|ol|li|script|style|template)(?=[\s>/]))/gi

/** Scans a page once for lists, their items, and the spans of comments and scripts. */
const scan = (html: string): { readonly lists: readonly Element[]; readonly silent: readonly Span[] } => {
  const lists: Element[] = []
  const silent: Span[] = []
  let open: Element | undefined
  const close = (name: string, end: number) => {
    let found = open
    while (found !== undefined && found.name !== name) found = found.parent
    if (found === undefined) return
    for (let element = open; element !== undefined; element = element.parent) {
      element.end = end
      if (element === found) break
    }
    open = found.parent
  }
  landmark.lastIndex = 0
  for (let match = landmark.exec(html); match !== null; match = landmark.exec(html)) {
    const tag = match[0].toLowerCase()
    const start = match.index
    if (tag === '<!--') {
      const end = html.indexOf('-->', start)
      silent.push([start, end < 0 ? html.length : end + 3])
      landmark.lastIndex = end < 0 ? html.length : end + 3
      continue
    }
    const end = tagEnd(html, start)
    landmark.lastIndex = end
    if (tag.startsWith('</')) {
      close(tag.slice(2), end)
      continue
    }
    const name = tag.slice(1)
    if (name === 'script' || name === 'style' || name === 'template') {
      const closing = new RegExp(`</${name}`, 'gi')
      closing.lastIndex = end
      const after = closing.exec(html)?.index ?? html.length
      silent.push([start, after])
      landmark.lastIndex = after
      continue
    }
    if (name === 'li' && open?.name === 'li') close('li', start)
    const depth = open === undefined ? 0 : open.depth + 1
    if (depth > maxDepth) continue
    const element: Element = {
      name,
      attributes: html.slice(start + name.length + 1, end - 1),
      start,
      contentStart: end,
      parent: open,
      depth,
      children: [],
      end: html.length,
    }
    open?.children.push(element)
    if (name !== 'li') lists.push(element)
    open = element
  }
  return { lists, silent }
}

const attribute = (attributes: string, name: string): string | undefined => {
  const match = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(attributes)
  return match?.[1] ?? match?.[2] ?? match?.[3]
}

/** Class tokens in an opening tag's attributes. */
export const classTokens = (attributes: string): readonly string[] => attribute(attributes, 'class')?.split(/\s+/) ?? []

const isKnownList = ({ attributes, parent }: Element): boolean =>
  classTokens(attributes).some((token) => resultLists.classes.some((known) => known === token)) ||
  resultLists.ids.some(
    (id) => attribute(attributes, 'id') === id || (parent !== undefined && attribute(parent.attributes, 'id') === id),
  )

type Candidate = {
  readonly element: Element
  readonly html: string
  readonly itemId: string | undefined
  readonly isCard: boolean
}

/** How the cards of a page show the ids of their items. */
type Showing = 'by link' | 'by attribute'

const candidate = (html: string, element: Element, cardClasses: readonly string[], showing: Showing): Candidate => {
  const markup = html.slice(element.start, element.end)
  const ids = linkedItems(markup)
  const real = showing === 'by link' ? ids.filter(isItemId) : listedItems(markup)
  const named = classTokens(element.attributes).some((token) => cardClasses.includes(token))
  const own = attribute(element.attributes, 'data-listingid')
  const linked = real.length > 1 && own !== undefined && real.includes(own) ? own : real[0]
  // A card whose links lead to a product of the catalogue shows its item in its attribute only.
  const itemId = linked ?? (named ? listedItemId(own) : undefined)
  const advertisesSite = ids.length > 0 && real.length === 0
  return { element, html: markup, itemId, isCard: !advertisesSite && (named || real.length === 1) }
}

/** The markup of a gap without its scripts and comments. */
const gapText = (html: string, [from, to]: Span, silent: readonly Span[]): string => {
  const start = Math.max(from, to - longestGap)
  let text = ''
  let at = start
  for (const [silentStart, silentEnd] of silent) {
    if (silentEnd <= at) continue
    if (silentStart >= to) break
    text += html.slice(at, Math.max(at, silentStart))
    at = silentEnd
  }
  return at < to ? text + html.slice(at, to) : text
}

const cardsAmong = (candidates: readonly Candidate[]): readonly Candidate[] => candidates.filter(({ isCard }) => isCard)

/** The list with the most cards that link to an item. */
const fullest = (lists: readonly (readonly Candidate[])[]): readonly Candidate[] => {
  const linked = lists.map((candidates) => cardsAmong(candidates).filter(({ itemId }) => itemId !== undefined))
  return linked.reduce((best, next) => (next.length > best.length ? next : best), [])
}

/** The cards of a page, and whether they came from a list that is known to contain results. */
export type Cut = { readonly fragments: readonly CardFragment[]; readonly isKnownList: boolean }

/**
 * Cuts the result cards out of a page, so that only they need parsing: about a tenth of the time of parsing it whole.
 * A card is an item of the result list that links to exactly one marketplace item or has the class of a card. A carousel among
 * the results links to many and has no such class. If no list is known by name, the list with the most cards is used.
 * Pages without a link to any item, whose links all have one made-up number, show the ids in an attribute of the cards.
 */
export const cutCards = (html: string, cardClasses: readonly string[]): Cut => {
  const { lists, silent } = scan(html)
  const choose = (showing: Showing) => {
    const candidatesOf = (list: Element) => list.children.map((child) => candidate(html, child, cardClasses, showing))
    const known = cardsAmong(lists.filter(isKnownList).flatMap(candidatesOf))
    return { known, chosen: known.length > 0 ? known : fullest(lists.map(candidatesOf)) }
  }
  const byLink = choose('by link')
  const { known, chosen } = byLink.chosen.length > 0 ? byLink : choose('by attribute')
  const cards = chosen.toSorted((a, b) => a.element.start - b.element.start)
  const outermost = cards.filter(
    ({ element }, index) => index === 0 || element.start >= (cards[index - 1]?.element.end ?? 0),
  )
  const fragments = outermost.map(({ element, html: markup, itemId }, index) => {
    const before = outermost[index - 1]?.element.end ?? Math.max(0, (element.parent?.start ?? element.start) - leadIn)
    return { html: markup, itemId, gapBefore: gapText(html, [before, element.start], silent) }
  })
  return { fragments, isKnownList: known.length > 0 }
}
