import type { DemoItem } from './inventory.ts'
import { html, type Markup } from './markup.ts'
import { clockTime, dateInWords, daysBefore, dollars, longCount, shortCount, timeUntil } from './words.ts'

/** Context shared by all cards of a page. */
export type CardPage = { readonly origin: string; readonly now: Date; readonly words: string }

/** The two generations of result cards, each with the marketplace's markup. */
export type CardLayout = 's-card' | 's-item'

const itemUrl = (item: DemoItem, { origin, words }: CardPage): string =>
  `${origin}/itm/${item.id}?_skw=${encodeURIComponent(words)}&hash=item${item.id}`
export const photoUrl = (photo: string, origin: string, size: number): string =>
  `${origin}/images/g/${photo}/s-l${size}.png`

const caption = (item: DemoItem, now: Date): string | undefined => {
  if (item.outcome === undefined) return undefined
  const verb = item.outcome.kind === 'ended' ? 'Ended' : 'Sold'
  return `${verb}  ${dateInWords(daysBefore(now, item.outcome.daysAgo))}`
}

const ways = (item: DemoItem): readonly string[] => {
  if (item.outcome?.kind === 'offer') return ['Best offer accepted']
  return [...(item.bids === undefined ? ['Buy It Now'] : []), ...(item.takesOffers ? ['or Best Offer'] : [])]
}

const row = (content: Markup): Markup => html`<div class="s-card__attribute-row">${content}</div>`

const prices = (item: DemoItem): Markup => {
  if (item.outcome?.kind === 'offer')
    return html`<span class="su-styled-text secondary strikethrough large-1 s-card__price">${dollars(item.price)}</span>`
  const price = (text: string) => html`<span class="su-styled-text primary bold large-1 s-card__price">${text}</span>`
  return html`${price(dollars(item.price))}${
    item.highPrice !== undefined &&
    html`<span class="su-styled-text primary bold default s-card__price"> to </span>${price(dollars(item.highPrice))}`
  }${item.struckPrice !== undefined && html`<span class="su-spacer"></span><span class="su-styled-text secondary strikethrough large">${dollars(item.struckPrice)}</span>`}`
}

const auctionRow = (item: DemoItem, now: Date): Markup | undefined => {
  if (item.bids === undefined) return undefined
  const bids = `${item.bids} bid${item.bids === 1 ? '' : 's'}`
  const end = item.endsAt(now)
  if (end === undefined) return row(html`<span class="su-styled-text secondary large">${bids}</span>`)
  return row(
    html`<span class="su-styled-text secondary large">${bids}</span><span class="su-styled-text secondary small"> · </span><span class="s-card__time"><span class="clipped">Time left</span><span class="s-card__time-left">${timeUntil(end, now)} left</span>  <span class="s-card__time-end">${clockTime(end)}</span></span>`,
  )
}

const sellerRow = ({ seller }: DemoItem): Markup => {
  const rating = `${seller.positivePercent ?? 0}% positive (${shortCount(seller.feedbackCount)})`
  const text = (words: string) => html`<span class="su-styled-text primary large">${words}</span>`
  return seller.isRetailer
    ? row(
        html`<div class="su-program-badge"><span class="su-styled-text default">${seller.name}  ${rating}</span></div>`,
      )
    : row(html`${text(`${seller.name} `)}${text(rating)}`)
}

const currentCard = (item: DemoItem, page: CardPage): Markup => {
  const over = caption(item, page.now)
  const link = itemUrl(item, page)
  return html`<li class="s-card s-card--horizontal" data-listingid="${item.id}" id="item${item.id}"><div class="su-card-container su-card-container--horizontal"><div class="su-card-container__media"><div class="su-image"><a class="s-card__link image-treatment" href="${link}" target="_blank"><img class="s-card__image" loading="lazy" src="${photoUrl(item.photo, page.origin, 140)}" data-defer-load="${photoUrl(item.photo, page.origin, 500)}" alt="${item.title}"></a></div></div><div class="su-card-container__content"><div class="su-card-container__header">${
    over !== undefined &&
    html`<div class="s-card__caption"><span class="su-styled-text ${item.outcome?.kind === 'ended' ? 'negative' : 'positive'} default">${over}</span></div>`
  }<a class="s-card__link" href="${link}" target="_blank"><div role="heading" aria-level="3" class="s-card__title"><span class="su-styled-text primary default">${item.title}</span><span class="clipped">Opens in a new window or tab</span></div></a><div class="s-card__subtitle-row"><div class="s-card__subtitle"><span class="su-styled-text secondary default">${item.condition} ·</span><span class="su-styled-text secondary default">${item.family.noun}</span></div></div></div><div class="su-card-container__attributes su-card-container__attributes--has-secondary"><div class="su-card-container__attributes__primary">${row(prices(item))}${auctionRow(item, page.now)}${ways(item).map((way) => row(html`<span class="su-styled-text secondary large">${way}</span>`))}${row(html`<span class="su-styled-text secondary large">Free delivery</span>`)}</div><div class="su-card-container__attributes__secondary">${sellerRow(item)}</div></div></div></div></li>`
}

const detail = (content: Markup): Markup => html`<div class="s-item__detail s-item__detail--primary">${content}</div>`

const olderPrice = (item: DemoItem): Markup => {
  const price =
    item.outcome?.kind === 'offer'
      ? html`<span class="STRIKETHROUGH">${dollars(item.price)}</span>`
      : html`${dollars(item.price)}`
  return html`<span class="s-item__price">${price}${item.highPrice !== undefined && html` <span class="DEFAULT">to</span> ${dollars(item.highPrice)}`}</span>`
}

const olderCard = (item: DemoItem, page: CardPage): Markup => {
  const over = caption(item, page.now)
  const end = item.endsAt(page.now)
  const { seller } = item
  return html`<li class="s-item s-item__pl-on-bottom"><div class="s-item__wrapper clearfix"><div class="s-item__image-section"><div class="s-item__image"><a href="${itemUrl(item, page)}" target="_blank"><div class="s-item__image-wrapper image-treatment"><img src="${photoUrl(item.photo, page.origin, 500)}" alt="${item.title}"></div></a></div></div><div class="s-item__info clearfix">${
    over !== undefined &&
    html`<div class="s-item__caption"><span class="s-item__caption--signal POSITIVE"><span>${over}</span></span></div>`
  }<a class="s-item__link" target="_blank" href="${itemUrl(item, page)}"><div class="s-item__title"><span role="heading" aria-level="3">${item.title}</span></div><span class="clipped">Opens in a new window or tab</span></a><div class="s-item__subtitle"><span class="SECONDARY_INFO">${item.condition}</span> · ${item.family.noun}</div><div class="s-item__details clearfix"><div class="s-item__details-section--primary">${detail(olderPrice(item))}${
    item.struckPrice !== undefined &&
    detail(
      html`<span class="s-item__trending-price">Was: <span class="STRIKETHROUGH">${dollars(item.struckPrice)}</span></span>`,
    )
  }${item.bids !== undefined && detail(html`<span class="s-item__bids s-item__bidCount">${item.bids} bid${item.bids === 1 ? '' : 's'}</span>`)}${
    end !== undefined &&
    detail(
      html`<span class="s-item__time"><span class="clipped">Time left</span><span class="s-item__time-left">${timeUntil(end, page.now)} left</span> <span class="s-item__time-end">${clockTime(end)}</span></span>`,
    )
  }${ways(item).map((way) => detail(html`<span class="s-item__purchase-options">${way}</span>`))}</div><div class="s-item__details-section--secondary"><span class="s-item__detail s-item__detail--secondary"><span class="s-item__seller-info"><span class="s-item__seller-info-text">${seller.name} (${longCount(seller.feedbackCount)}) ${seller.positivePercent ?? 0}%</span></span></span></div></div></div></div></li>`
}

/** The card of an item in one of the two layouts. */
export const card = (layout: CardLayout, item: DemoItem, page: CardPage): Markup =>
  layout === 's-card' ? currentCard(item, page) : olderCard(item, page)

/** The card that advertises the site itself: it has a price and an id, but is no listing. */
export const placeholder = (layout: CardLayout): Markup =>
  html`<li class="${layout} ${layout}--horizontal" data-listingid="2500219655424533"><a class="${layout}__link" href="https://example.test/itm/123456?hash=item123546"><img class="${layout}__image" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="Shop on Demo"><div role="heading" aria-level="3" class="${layout}__title"><span>Shop on Demo</span><span class="clipped">Opens in a new window or tab</span></div></a><div class="${layout}__subtitle"><span class="SECONDARY_INFO">Brand New</span></div><span class="${layout}__price">$20.00</span></li>`

/** A carousel among the results, whose entries are not results. */
export const carousel = (items: readonly DemoItem[], page: CardPage): Markup =>
  html`<li class="srp-river-answer srp-river-answer--ITEMS_CAROUSEL"><h2>Explore related items</h2><div class="carousel"><ul>${items.map(
    (item) =>
      html`<li><div class="s-card s-card--vertical"><a class="s-card__link" href="${itemUrl(item, page)}"><img class="s-card__image" src="${photoUrl(item.photo, page.origin, 140)}" alt=""><div class="s-card__title">${item.title}</div></a><span class="s-card__price">${dollars(item.price)}</span></div></li>`,
  )}</ul></div></li>`
