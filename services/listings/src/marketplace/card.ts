import { webAddress } from '@trellis/kit/egress'
import { compile } from 'css-select'
import type { BuyingFormat } from '../records.ts'
import { endOfAuction, hasTimeLeft, isoDate, readDate, readDuration } from './calendar.ts'
import { readPhotos } from './card-photos.ts'
import { type Line, lines, strikes, visibleText } from './card-text.ts'
import type { CardFragment } from './cut-cards.ts'
import { type ChildNode, type Element, elementsIn, parseMarkup } from './dom.ts'
import type { CardField, Layout } from './layouts.ts'
import { isOnlyMoney, isRangeWord, type Money, readMoney } from './money.ts'
import { type ShownSeller, sellerInLines, sellerInRow, sellerWithoutCount, sellerWithoutRatio } from './read-seller.ts'
import {
  advertises,
  cleanTitle,
  isBadge,
  isOneEnd,
  isPlaceholderTitle,
  readBids,
  startsLikeCondition,
  statesEnded,
  statesOfferAccepted,
  statesSold,
  takesOffers,
} from './wording.ts'

/** A price as a card shows it: the listed, bid or paid amount, and the upper end of a range, which is the same if the card shows one end only. */
export type ShownPrice = Money & {
  readonly high: number | null
  /** Struck through, since it is not the price paid. */
  readonly isStruck: boolean
}

/** The contents of one result card. Values that it does not show are null. */
export type Card = {
  readonly id: string | null
  readonly title: string | null
  readonly url: string | null
  readonly price: ShownPrice | null
  readonly condition: string | null
  readonly photos: readonly string[]
  readonly seller: ShownSeller | null
  readonly format: BuyingFormat
  readonly bids: number | null
  readonly endsAt: string | null
  /** How a listing ended, and when (YYYY-MM-DD), if its card shows it. */
  readonly outcome: { readonly kind: 'sold' | 'ended'; readonly on: string | null } | null
  readonly offerAccepted: boolean
}

/** What reading a card requires of its page. */
export type CardContext = {
  readonly pageUrl: string
  readonly siteCurrency: string | undefined
  /** When the page was fetched; remaining times count from it. */
  readonly observedAt: Date
}

type Query = (element: Element) => boolean
export type CompiledLayout = { readonly hooks: Readonly<Record<CardField, readonly Query[]>> }

/** Compiles a layout's selectors, once for all cards. */
export const compileLayout = (layout: Layout): CompiledLayout => {
  const fields = Object.entries(layout.hooks) as [CardField, readonly string[]][]
  const compiled = fields.map(([field, selectors]) => [
    field,
    selectors.map((selector) => compile<ChildNode, Element>(selector)),
  ])
  return { hooks: Object.fromEntries(compiled) as CompiledLayout['hooks'] }
}

/** Elements that match the first successful hook of a field, in document order. */
const find = (layout: CompiledLayout, field: CardField, elements: readonly Element[]): readonly Element[] => {
  for (const query of layout.hooks[field]) {
    const found = elements.filter(query)
    if (found.length > 0) return found
  }
  return []
}

/** Unused attributes that make up most of a card's markup; without them parsing takes half the time. */
const bulk = /\s(?:data-(?!src|defer-load|original)[\w-]+|on\w+|_sp|srcset|aria-labelledby)\s*=\s*(?:"[^"]*"|'[^']*')/g

const isElement = (node: unknown): node is Element => typeof node === 'object' && node !== null && 'attribs' in node

const ancestorStrikes = (element: Element): boolean => {
  for (let at: unknown = element; isElement(at); at = at.parent) if (strikes(at)) return true
  return false
}

/** Price elements in one row form one price ("low", "to", "high"); a second row is another price (Buy It Now of an auction). */
const firstRow = (elements: readonly Element[]): readonly Element[] => {
  const outer = elements.filter(
    (element) => !elements.some((other) => other !== element && other.children.includes(element)),
  )
  return outer.filter(({ parent }) => parent === outer[0]?.parent)
}

/** A price without what stands beside it in parentheses: its conversion, or the price of a unit, as in "EUR 20,00 (EUR 25,00/kg)". */
const outsideParentheses = (text: string): string => {
  const outside = text
    .split(/[()（）]/u)
    .filter((_, index) => index % 2 === 0)
    .join(' ')
  return /\d/.test(outside) ? outside : text
}

const priceFrom = (text: string, siteCurrency: string | undefined, isStruck: boolean): ShownPrice | undefined => {
  const [low, high] = readMoney(outsideParentheses(text), siteCurrency)
  if (low === undefined) return undefined
  // An amount in another currency is the same price converted: "$5.59 (EUR 6,80)".
  const isRange = high !== undefined && high.currency === low.currency && high.amount > low.amount
  return { ...low, high: isRange ? high.amount : isOneEnd(text) ? low.amount : null, isStruck }
}

const readPrice = (
  hooked: readonly Element[],
  all: readonly Line[],
  siteCurrency: string | undefined,
): ShownPrice | null => {
  const paid = hooked.filter((element) => !ancestorStrikes(element))
  for (const [elements, isStruck] of [
    [paid, false],
    [hooked, true],
  ] as const) {
    const text = firstRow(elements)
      .map((element) => visibleText(element, { withStruck: isStruck }))
      .join(' ')
    const price = priceFrom(text, siteCurrency, isStruck)
    if (price !== undefined) return price
  }
  const isPrice = ({ text }: Line) => isOnlyMoney(text, siteCurrency)
  const unstruck = all.findIndex((line) => isPrice(line) && !line.isStruck)
  const at = unstruck < 0 ? all.findIndex(isPrice) : unstruck
  const [first, between, last] = at < 0 ? [] : all.slice(at, at + 3)
  if (first === undefined) return null
  const isRange = between !== undefined && last !== undefined && isRangeWord(between.text) && isPrice(last)
  const text = isRange ? `${first.text} ${between.text} ${last.text}` : first.text
  return priceFrom(text, siteCurrency, first.isStruck) ?? null
}

const subtitleSeparator = /\s*[·•|]\s*/u

/** Longest line that is read as a condition where no hook matches, in characters. */
const longestCondition = 40
/** Longest subtitle that is read as a condition in a language whose conditions are unknown, in characters. */
const longestUnknownCondition = 24

/** Whether a subtitle may be a condition in an unknown language: a few words, and no advertisement. */
const mayBeCondition = (text: string): boolean =>
  text.length <= longestUnknownCondition && /^\p{L}[\p{L}\p{M}\s()/’'-]*$/u.test(text) && !advertises(text)

/**
 * The condition: the last subtitle that starts like one, since sellers' advertisements precede it, else the last that may be
 * one. Without subtitles, the first short line of the card that starts like one.
 */
const readCondition = (subtitles: readonly Element[], all: readonly Line[]): string | null => {
  const first = subtitles
    .map((element) => visibleText(element).split(subtitleSeparator)[0] ?? '')
    .filter((text) => text !== '')
  const lines = first.length > 0 ? [] : all.map(({ text }) => text.replace(/\s*[·•|]\s*$/u, ''))
  const condition =
    first.findLast(startsLikeCondition) ??
    first.findLast(mayBeCondition) ??
    lines.find((text) => text.length <= longestCondition && startsLikeCondition(text))
  return condition === undefined ? null : condition.toLowerCase()
}

const readSeller = (rows: readonly Element[], all: readonly Line[]): ShownSeller | null => {
  for (const row of rows) {
    const texts = lines(row.children).map(({ text }) => text)
    const seller = sellerInRow(texts.filter((text) => !isBadge(text))) ?? sellerInRow(texts)
    if (seller !== undefined) return seller
  }
  const anywhere = sellerInLines(all.map(({ text }) => text))
  if (anywhere !== undefined) return anywhere
  for (const row of rows) {
    const text = visibleText(row)
    if (isBadge(text)) continue
    const seller = sellerWithoutCount(text) ?? sellerWithoutRatio(text)
    if (seller !== undefined) return seller
  }
  return null
}

type Auction = { readonly bids: number | null; readonly endsAt: string | null; readonly isAuction: boolean }

/** The clock time at which an auction ends, shown after the time left: "(Sat, 05:15 AM)". */
const clockTime = /^\([^()]{0,30}\d{1,2}[:.h]\d{2}[^()]{0,10}\)$/

/** Whether a line is a time span, such as "1m" or "2d 3h", before the clock time at which it ends. */
const isTimeBefore = (text: string, next: string | undefined): boolean =>
  next !== undefined &&
  clockTime.test(next) &&
  /^\d/.test(text) &&
  text.length <= 20 &&
  readDuration(text) !== undefined

/** Whether a line states that the time is over and nothing else, as an auction's does. */
const isOnlyEnded = (text: string): boolean => text.length <= 20 && statesEnded(text)

const readAuction = (
  timeLeft: string | undefined,
  clock: string | undefined,
  all: readonly Line[],
  now: Date,
): Auction => {
  const texts = all.map(({ text }) => text)
  const bids = texts.map(readBids).find((count) => count !== undefined)
  // Without a hook, only a card with bids is an auction: the countdown of a sale looks the same.
  const timeText =
    bids === undefined
      ? undefined
      : texts.find((text, index) => hasTimeLeft(text) || isOnlyEnded(text) || isTimeBefore(text, texts[index + 1]))
  const shown = timeLeft ?? timeText
  const span = shown === undefined ? undefined : (readDuration(shown) ?? (statesEnded(shown) ? 'ended' : undefined))
  return {
    bids: bids ?? null,
    endsAt:
      span === undefined
        ? null
        : endOfAuction(span, clock ?? texts.find((text) => clockTime.test(text)), now).toISOString(),
    isAuction: bids !== undefined || span !== undefined,
  }
}

/** Sold or ended, from a caption, else from a line that states it together with a date. */
const readOutcome = (captions: readonly string[], all: readonly Line[]): Card['outcome'] => {
  const dated = all
    .map(({ text }) => text)
    .filter((text) => /^\D{0,40}(?:19|20)?\d/.test(text) && readDate(text) !== undefined)
  for (const text of [...captions, ...dated]) {
    const kind = statesSold(text) ? 'sold' : statesEnded(text) ? 'ended' : undefined
    if (kind !== undefined) return { kind, on: isoDate(readDate(text)) ?? null }
  }
  return null
}

const readTitle = (
  titles: readonly Element[],
  links: readonly Element[],
  photos: readonly Element[],
): string | null => {
  const candidates = [
    ...titles.map((element) => visibleText(element)),
    ...links.map((element) => visibleText(element)),
    ...photos.map(({ attribs }) => attribs.alt ?? ''),
  ]
  return candidates.map(cleanTitle).find((title) => title !== '') ?? null
}

/** The URL of a card's item: of the link with its id, or made from the id if no link has it. */
const readUrl = (links: readonly Element[], itemId: string | undefined, pageUrl: string): string | null => {
  const hrefs = links.map(({ attribs }) => attribs.href ?? '')
  const href =
    itemId === undefined ? hrefs[0] : (hrefs.find((candidate) => candidate.includes(itemId)) ?? `/itm/${itemId}`)
  const address = href === undefined ? undefined : webAddress(href, pageUrl)
  if (address === undefined) return null
  const { origin, pathname } = new URL(address)
  return `${origin}${pathname}`
}

/** Reads a card by a layout's hooks, then by what its texts look like. Undefined for a card that advertises the site itself. */
export const readCard = (fragment: CardFragment, layout: CompiledLayout, context: CardContext): Card | undefined => {
  const card = parseMarkup(fragment.html.replace(bulk, ''))
  const elements = elementsIn(card)
  const titles = find(layout, 'title', elements)
  const links = find(layout, 'link', elements)
  const photos = find(layout, 'photo', elements)
  const title = readTitle(titles, links, photos)
  if (title !== null && isPlaceholderTitle(title)) return undefined
  const all = lines(card, new Set(titles))
  const texts = all.map(({ text }) => text)
  const [timeLeft] = find(layout, 'timeLeft', elements).map((element) => visibleText(element))
  const [clock] = find(layout, 'timeEnd', elements).map((element) => visibleText(element))
  const { bids, endsAt, isAuction } = readAuction(timeLeft, clock, all, context.observedAt)
  const captions = find(layout, 'caption', elements).map((element) => visibleText(element))
  return {
    id: fragment.itemId ?? null,
    title,
    url: readUrl(links, fragment.itemId, context.pageUrl),
    price: readPrice(find(layout, 'price', elements), all, context.siteCurrency),
    condition: readCondition(find(layout, 'subtitle', elements), all),
    photos: readPhotos(fragment.html, photos, context.pageUrl),
    seller: readSeller(find(layout, 'seller', elements), all),
    format: isAuction ? 'auction' : texts.some(takesOffers) ? 'best_offer' : 'fixed_price',
    bids,
    endsAt,
    outcome: readOutcome(captions, all),
    offerAccepted: texts.some(statesOfferAccepted),
  }
}
