import type { Card } from './card.ts'
import type { ItemPage } from './item-page.ts'
import type { SellerPage } from './seller-page.ts'

/** Kinds of pages whose fields are observed separately: layouts change one at a time. */
export type PageKind = 'search' | 'sold' | 'item' | 'seller'

/** How often a field was found on the pages of one kind that a run has read; `read` counts cards on pages of results. */
export type FieldCount = {
  readonly page: PageKind
  readonly field: string
  readonly pages: number
  readonly read: number
  readonly filled: number
}

type Fields = Readonly<Record<string, readonly boolean[]>>

const cardFields: Readonly<Record<string, (card: Card) => boolean>> = {
  title: ({ title }) => title !== null,
  price: ({ price }) => price !== null,
  url: ({ url }) => url !== null,
  photo: ({ photos }) => photos.length > 0,
  condition: ({ condition }) => condition !== null,
  seller: ({ seller }) => seller !== null,
}

/** Fields of the cards of a page. Whether a page is understood at all is a field of its own. */
export const fieldsOfCards = (cards: readonly Card[]): Fields => ({
  understood: [true],
  ...Object.fromEntries(Object.entries(cardFields).map(([field, has]) => [field, cards.map(has)])),
})

export const fieldsOfItem = (page: ItemPage): Fields =>
  page.kind !== 'item'
    ? { understood: [false] }
    : {
        understood: [true],
        seller: [page.sellerNames.length > 0],
        joined: [page.joined !== null],
        feedback: [page.seller !== null && page.seller.feedbackCount !== null],
        price: [page.price !== null],
        condition: [page.condition !== null],
      }

export const fieldsOfSeller = (page: SellerPage): Fields => ({ understood: [page.kind === 'seller'] })
export const notUnderstood: Fields = { understood: [false] }

/** Counts the fields of the pages that a run reads. Refused pages are not counted, since they have no layout. */
export const createFieldCounter = () => {
  const counts = new Map<string, { page: PageKind; field: string; pages: number; read: number; filled: number }>()
  return {
    add: (page: PageKind, fields: Fields): void => {
      for (const [field, found] of Object.entries(fields)) {
        if (found.length === 0) continue
        const key = `${page} ${field}`
        const count = counts.get(key) ?? { page, field, pages: 0, read: 0, filled: 0 }
        count.pages += 1
        count.read += found.length
        count.filled += found.filter(Boolean).length
        counts.set(key, count)
      }
    },
    counts: (): readonly FieldCount[] => [...counts.values()],
  }
}
