import type { Sale } from '../records.ts'
import type { Card } from './card.ts'

/**
 * The cards that are completed sales at a known price. Left out: what ended unsold, ranges of prices, and accepted offers,
 * where the price shown (often struck through) is what was asked.
 */
export const salesAmong = (cards: readonly Card[]): readonly Sale[] =>
  cards.flatMap(({ price, outcome, offerAccepted }) =>
    price === null ||
    price.amount <= 0 ||
    price.high !== null ||
    price.isStruck ||
    offerAccepted ||
    outcome?.kind !== 'sold'
      ? []
      : [{ price: price.amount, currency: price.currency, soldOn: outcome.on }],
  )
