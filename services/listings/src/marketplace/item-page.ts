import { compile, selectAll } from 'css-select'
import { earlierOf, openingOf } from '../account-opening.ts'
import type { AccountOpening } from '../records.ts'
import type { DateOrder } from './calendar.ts'
import { lines, visibleText } from './card-text.ts'
import { dateOrderOf } from './date-order.ts'
import { type ChildNode, type Element, parseMarkup } from './dom.ts'
import { readJoinDate } from './join-date.ts'
import { breadcrumbsIn, productIn, structuredData } from './json-ld.ts'
import { leadingCount, type Money, readMoney } from './money.ts'
import { countAfter, readFeedback, type ShownSeller } from './read-seller.ts'
import { refusalIn } from './refusal.ts'
import type { PageContext } from './search-page.ts'
import { siteCurrency } from './sites.ts'
import { cleanTitle, statesSold } from './wording.ts'

/** The page of one item. Values that it does not show are null or empty. */
export type ItemPage =
  | {
      readonly kind: 'item'
      readonly id: string | null
      readonly title: string | null
      readonly price: Money | null
      readonly condition: string | null
      readonly photos: readonly string[]
      /** From the widest category to the narrowest, without the site's own name. */
      readonly categories: readonly string[]
      readonly seller: ShownSeller | null
      /** Every name that the page shows for its seller, including the username; empty if it shows none. */
      readonly sellerNames: readonly string[]
      /** When the seller joined. */
      readonly joined: AccountOpening | null
      readonly itemsSold: number | null
    }
  | { readonly kind: 'refused'; readonly reason: string }
  /** Neither an item page in a known layout nor a refusal. */
  | { readonly kind: 'unreadable'; readonly reason: string }

const query = (selector: string) => compile<ChildNode, Element>(selector)

/** Hooks of an item page, the most specific first. */
const hooks = {
  title: ['.x-item-title__mainTitle', '#itemTitle', 'h1'].map(query),
  price: ['.x-price-primary', '.x-bid-price .x-price-primary', '#prcIsum', '[itemprop="price"]'].map(query),
  condition: ['.x-item-condition-text .ux-icon-text__text', '.x-item-condition-text', '#vi-itm-cond'].map(query),
  sellerName: [
    '.x-sellercard-atf__about-seller-item--seller-name a',
    // The name may be no link, while the count beside it is one.
    '.x-sellercard-atf__about-seller-item--seller-name',
    '.x-sellercard-atf__info__about-seller a',
    '.x-store-information__store-name',
    '.ux-seller-section__item--seller a',
    '#RightSummaryPanel .mbg-nw',
  ].map(query),
  // A store's page of items has the store's name in its URL, the list of the seller's other items the username.
  otherItems: ['.x-sellercard-atf a[href*="_ssn="], .x-store-information a[href*="_ssn="]'].map(query),
  sellerCard: [
    '.x-sellercard-atf',
    '.x-store-information__header',
    '.ux-seller-section__content',
    '#RightSummaryPanel .si-content',
    '[class*="sellercard"]',
    '[class*="seller-persona"]',
  ].map(query),
  joined: [
    '.x-store-information__info .ux-icon-text__text',
    '[class*="store-information"] [class*="text"]',
    '[class*="seller"] li, [class*="seller"] span',
  ].map(query),
  highlights: ['.x-store-information__highlights', '[class*="store-information"]'].map(query),
} as const

const findAll = (hook: keyof typeof hooks, nodes: readonly ChildNode[]): readonly Element[] => {
  for (const compiled of hooks[hook]) {
    const found = selectAll<ChildNode, Element>(compiled, [...nodes])
    if (found.length > 0) return found
  }
  return []
}

const firstText = (hook: keyof typeof hooks, nodes: readonly ChildNode[]): string | null =>
  findAll(hook, nodes)
    .map((element) => visibleText(element))
    .find((text) => text !== '') ?? null

/** Percent-decodes a part of a URL; returns it unchanged if it is malformed, such as `100%`. */
const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Username in a URL of the seller's other items, since the name shown may be that of a store: `/usr/ada`, `/sch/ada/m.html`, `/sch/i.html?_ssn=ada`. */
const usernameIn = (element: Element | undefined): string | undefined => {
  const href = element?.attribs.href ?? ''
  const name =
    /[?&]_ssn=([^&#]+)/.exec(href)?.[1] ?? /\/(?:usr|sch)\/(?!i\.html)([^/?#]+)(?:\/m\.html|[?#]|$)/.exec(href)?.[1]
  return name === undefined ? undefined : decoded(name)
}

/** The seller's names from every hook: a store's name may appear where other pages have the username. */
const readSellerNames = (nodes: readonly ChildNode[]): readonly string[] => {
  const links = hooks.sellerName.flatMap((compiled) => selectAll<ChildNode, Element>(compiled, [...nodes]))
  const usernames = findAll('otherItems', nodes).map((link) => usernameIn(link) ?? '')
  const names = [...links.flatMap((link) => [usernameIn(link) ?? '', visibleText(link)]), ...usernames]
  return [...new Set(names.filter((name) => name !== ''))]
}

const readSeller = (nodes: readonly ChildNode[]): ShownSeller | null => {
  const [link] = findAll('sellerName', nodes)
  const [otherItems] = findAll('otherItems', nodes)
  const name = usernameIn(link) ?? usernameIn(otherItems) ?? (link === undefined ? undefined : visibleText(link))
  if (name === undefined || name === '') return null
  const cards = findAll('sellerCard', nodes).map((card) =>
    lines(card.children)
      .map(({ text }) => text)
      .join(' '),
  )
  // The count and the percentage may be in parts of a card without a common element of their own.
  const feedback = [...cards, cards.join(' ')].map(readFeedback).find((found) => found !== undefined)
  if (feedback !== undefined) return { name, feedbackCount: feedback.count, feedbackRatio: feedback.ratio }
  const shown = link === undefined ? name : visibleText(link)
  const count = cards.map((card) => countAfter(shown, card)).find((found) => found !== undefined)
  return { name, feedbackCount: count ?? null, feedbackRatio: null }
}

const openingsIn = (lines: readonly string[], order: DateOrder, observedAt: Date): AccountOpening[] =>
  lines.flatMap((line) => {
    const shown = readJoinDate(line, order)
    const opening = shown && openingOf(shown, observedAt)
    return opening ? [opening] : []
  })

/** Splits a line into the facts in it: "43 items sold • Joined Aug 2007". */
const factsOf = (line: string): string[] => [line, ...line.split(/[•·|;]|,(?!\s*\d)/u)]

const days = ({ earliest, latest }: AccountOpening): number => Date.parse(latest) - Date.parse(earliest)

const overlap = (one: AccountOpening, other: AccountOpening): boolean =>
  earlierOf(one.earliest, other.latest) === one.earliest && earlierOf(other.earliest, one.latest) === other.earliest

/**
 * The join date from its hooks, else from any text on the page, including embedded data, if all dates found there agree: then it is the most
 * exact one.
 */
const readJoined = (
  html: string,
  nodes: readonly ChildNode[],
  { pageUrl, observedAt }: PageContext,
): AccountOpening | null => {
  const order = dateOrderOf(html, pageUrl)
  const shown = findAll('joined', nodes)
    .map((element) => visibleText(element))
    .filter((text) => text.length < 80)
  const [hooked] = openingsIn(shown.flatMap(factsOf), order, observedAt)
  if (hooked !== undefined) return hooked
  const anywhere = html.match(/(?<=[>"])[^<>"\\]{0,60}(?:19|20)\d{2}[^<>"\\]{0,12}(?=[<"])/gu) ?? []
  const [found, ...others] = openingsIn(anywhere, order, observedAt).sort((one, other) => days(one) - days(other))
  return found !== undefined && others.every((other) => overlap(found, other)) ? found : null
}

/** The count at the start of a fact that states what was sold: "43 items sold", "1,2 Tsd. verkauft", "3 412 objets vendus". */
const readItemsSold = (nodes: readonly ChildNode[]): number | null => {
  const facts = firstText('highlights', nodes)?.split(/[•·|]/u) ?? []
  const counts = facts.filter(statesSold).map(leadingCount)
  return counts.find((count) => count !== undefined) ?? null
}

const itemIdIn = (html: string, pageUrl: string): string | null => {
  const canonical = /<link[^<>]+canonical[^<>]*>/i.exec(html)?.[0]
  return /\/itm\/(?:[^/"'\s]+\/)?(\d{8,19})/.exec(`${canonical ?? ''} ${pageUrl}`)?.[1] ?? null
}

/** Reads the page of one item. Structured data takes precedence: it has the price in the site's currency and the categories. */
export const readItemPage = (html: string, context: PageContext): ItemPage => {
  const { pageUrl, defaultCurrency } = context
  const data = structuredData(html)
  const product = productIn(data)
  const nodes = parseMarkup(html)
  const title = product?.name ?? firstText('title', nodes)
  const seller = readSeller(nodes)
  if (title === null || (seller === null && product === undefined)) {
    const refusal = refusalIn(html)
    return refusal === undefined
      ? { kind: 'unreadable', reason: 'the page of an item has neither a title nor a seller in a known place' }
      : { kind: 'refused', reason: refusal }
  }
  const shownPrice = readMoney(firstText('price', nodes) ?? '', siteCurrency(pageUrl) ?? defaultCurrency)[0]
  const price =
    product?.price !== undefined && product.currency !== undefined
      ? { amount: product.price, currency: product.currency }
      : (shownPrice ?? null)
  return {
    kind: 'item',
    id: itemIdIn(html, pageUrl),
    title: cleanTitle(title),
    price,
    condition: firstText('condition', nodes)?.toLowerCase() ?? null,
    photos: product?.images ?? [],
    categories: breadcrumbsIn(data).slice(1),
    seller,
    sellerNames: readSellerNames(nodes),
    joined: readJoined(html, nodes, context),
    itemsSold: readItemsSold(nodes),
  }
}
