/** The fields of a card that layouts have hooks for. */
export type CardField =
  | 'title'
  | 'link'
  | 'price'
  | 'subtitle'
  | 'caption'
  | 'seller'
  | 'timeLeft'
  | 'timeEnd'
  | 'photo'

/**
 * The markup of one generation of result pages: CSS selectors per field, the most specific first. A page with unknown classes
 * is still read by what its texts look like (see card.ts), so a new layout usually works before it has a row here.
 */
export type Layout = {
  readonly name: string
  /** Class tokens of one result card. */
  readonly cardClasses: readonly string[]
  readonly hooks: Readonly<Record<CardField, readonly string[]>>
}

const anyLayout: Layout['hooks'] = {
  title: ['[class*="card__title"], [class*="item__title"]', 'a[href*="/itm/"] [role="heading"]', 'a[href*="/itm/"] h3'],
  link: ['a[href*="/itm/"]'],
  price: ['[class*="__price"]', '[itemprop="price"]'],
  subtitle: ['[class*="__subtitle"]', '[class*="__condition"]'],
  caption: ['[class*="__caption"]', '[class*="ended-date"]'],
  seller: [
    '[class*="attributes__secondary"] [class*="attribute-row"]',
    '[class*="seller-info"]',
    '[class*="sellerinfo" i]',
  ],
  timeLeft: ['[class*="time-left"]', '[class*="timeleft" i]'],
  timeEnd: ['[class*="time-end"]', '[class*="timeend" i]'],
  photo: ['img[class*="image"]', 'img'],
}

/** The known layouts, newest first. */
export const layouts: readonly Layout[] = [
  {
    name: 's-card',
    cardClasses: ['s-card'],
    hooks: {
      ...anyLayout,
      title: ['.s-card__title', ...anyLayout.title],
      price: ['.s-card__price', ...anyLayout.price],
      subtitle: ['.s-card__subtitle', ...anyLayout.subtitle],
      caption: ['.s-card__caption', ...anyLayout.caption],
      seller: ['.su-card-container__attributes__secondary .s-card__attribute-row', ...anyLayout.seller],
      timeLeft: ['.s-card__time-left', ...anyLayout.timeLeft],
      timeEnd: ['.s-card__time-end', ...anyLayout.timeEnd],
      photo: ['img.s-card__image', ...anyLayout.photo],
    },
  },
  {
    name: 's-item',
    cardClasses: ['s-item'],
    hooks: {
      ...anyLayout,
      title: ['.s-item__title', ...anyLayout.title],
      price: ['.s-item__price', ...anyLayout.price],
      subtitle: ['.s-item__subtitle', '.SECONDARY_INFO', ...anyLayout.subtitle],
      caption: ['.s-item__caption', '.s-item__title--tag', '.s-item__ended-date', ...anyLayout.caption],
      seller: ['.s-item__seller-info-text', '.s-item__seller-info', ...anyLayout.seller],
      timeLeft: ['.s-item__time-left', ...anyLayout.timeLeft],
      timeEnd: ['.s-item__time-end', ...anyLayout.timeEnd],
      photo: ['.s-item__image img', 'img.s-item__image-img', ...anyLayout.photo],
    },
  },
]

/** Hooks by the shapes of class names only, for pages of unknown layout. */
export const unknownLayout: Layout = { name: 'unknown', cardClasses: [], hooks: anyLayout }

/** Class tokens or ids of the lists that contain the results of a page. */
export const resultLists = { classes: ['srp-results'], ids: ['srp-river-results', 'ListViewInner'] } as const

/** Hooks of the heading with the number of results. */
export const countHeadings: readonly string[] = [
  '.srp-controls__count-heading',
  '[class*="count-heading"]',
  '[class*="results-count"]',
]

/** Class tokens of words for screen readers only, which are not part of a card's contents. */
export const hiddenClasses = ['clipped', 'visually-hidden', 'sr-only', 'g-visuallyhidden', 'visuallyhidden'] as const

/** Marks of a struck-through price. */
export const struck = {
  tags: ['s', 'del', 'strike'],
  classes: /strike-?through|(?:list|original|trending|was|previous)-price/i,
} as const

/** File names of the pictures that stand for a missing photo or one that has not been loaded yet. */
export const placeholderPhotos =
  /\/(?:img_?no_?img|no_?(?:image|photo)|stockimage\d*|s_\dx\d|spacer|blank|transparent)\.\w{3,4}$/i
