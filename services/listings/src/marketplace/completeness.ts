import type { Card } from './card.ts'

/** Shares (0 to 1) of a page's cards that have each required field, and the seller. */
export type Completeness = {
  readonly cards: number
  readonly id: number
  readonly title: number
  readonly price: number
  readonly seller: number
  /** Share of cards with all of id, title and price. */
  readonly usable: number
}

/** Below this share of usable cards, a page has drifted from the known layouts and is refused. */
export const driftThreshold = 0.8

const share = (cards: readonly Card[], has: (card: Card) => boolean): number =>
  cards.length === 0 ? 1 : cards.filter(has).length / cards.length

/** The self-check of a page that was read. Missing sellers are no drift: some sites show none. */
export const completenessOf = (cards: readonly Card[]): Completeness => ({
  cards: cards.length,
  id: share(cards, ({ id }) => id !== null),
  title: share(cards, ({ title }) => title !== null),
  price: share(cards, ({ price }) => price !== null),
  seller: share(cards, ({ seller }) => seller !== null),
  usable: share(cards, ({ id, title, price }) => id !== null && title !== null && price !== null),
})
