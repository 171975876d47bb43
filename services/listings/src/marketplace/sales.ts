import type { Sale } from '../records.ts'
import type { Card } from './card.ts'

/**
 * The cards that are completed sales at a known price. Excludes unsold listings, price ranges, and accepted offers, whose
 * displayed price (often struck through) is the listed price rather than the agreed one.
 */
export const salesAmong = (cards: readonly Card[]): readonly Sale[] =>
  cards.flatMap(({ title, condition, price, outcome, offerAccepted }) =>
    price === null ||
    price.amount <= 0 ||
    price.high !== null ||
    price.isStruck ||
    offerAccepted ||
    outcome?.kind !== 'sold'
      ? []
      : [{ price: price.amount, currency: price.currency, soldOn: outcome.on, title, condition }],
  )
