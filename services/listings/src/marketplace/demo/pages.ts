import { type CardLayout, type CardPage, card, carousel, photoUrl, placeholder } from './cards.ts'
import { families } from './catalogue.ts'
import type { DemoItem } from './inventory.ts'
import { html, type Markup, raw } from './markup.ts'
import type { DemoResults } from './query.ts'
import { dollars, joinedInWords, longCount, timeUntil } from './words.ts'

const style = `body{font:14px/1.45 system-ui,sans-serif;margin:0;color:#191919;background:#fff}header{padding:14px 24px;border-bottom:1px solid #e5e5e5;display:flex;gap:16px;align-items:center}header b{font-size:20px}main{display:flex;gap:24px;padding:16px 24px;max-width:1200px;margin:auto}nav{min-width:210px}nav ul,.srp-results,.carousel ul{list-style:none;padding:0;margin:0}.srp-results{flex:1}.srp-results>li{border-bottom:1px solid #eee;padding:14px 0}.su-card-container,.s-item__wrapper{display:flex;gap:18px}img{width:150px;height:150px;object-fit:cover;border-radius:10px;background:#f5f5f5}[class$="__title"]{font-size:17px}a{color:inherit;text-decoration:none}a:hover{text-decoration:underline}[class*="__price"]{font-weight:700;font-size:19px}.strikethrough,.STRIKETHROUGH{text-decoration:line-through;color:#777;font-weight:400}.secondary,.SECONDARY_INFO{color:#666}.positive,.POSITIVE{color:#1a7f37}.negative{color:#b42318}.clipped{position:absolute;clip:rect(0 0 0 0);width:1px;height:1px;overflow:hidden}.carousel ul{display:flex;gap:12px;overflow:auto}.carousel img{width:96px;height:96px}.section-notice{background:#eef4ff;border-radius:8px;padding:12px}input[type=search]{padding:8px 14px;border:1px solid #bbb;border-radius:20px;width:320px}.item{display:grid;grid-template-columns:1fr 1fr;gap:32px}.item img{width:100%;height:auto}`

/** The frame around every page. */
const page = (title: string, words: string, canonical: string, body: Markup): string =>
  html`<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${title} | Demo marketplace</title><meta name="viewport" content="width=device-width"><link rel="canonical" href="${canonical}"><style>${raw(style)}</style></head><body><header><a href="/"><b>Demo marketplace</b></a><form action="/sch/i.html" role="search"><input type="search" name="_nkw" aria-label="Search" value="${words}" placeholder="Search generated listings"></form></header>${body}</body></html>`
    .markup

export type ResultsPage = CardPage & {
  readonly layout: CardLayout
  readonly pageNumber: number
  readonly perPage: number
  readonly address: URL
}

const refine = (results: DemoResults, { address }: ResultsPage): Markup => {
  const counts = Map.groupBy(results.exact, ({ family }) => family.category.path[0])
  const entries = [...counts].map(([name, items]) => {
    const target = new URL(address)
    target.searchParams.set('_sacat', items[0]?.family.category.id ?? '')
    return html`<li class="x-refine__main__list--value"><a href="${target.pathname}${target.search}">${name}<span class="x-refine__count"> (${longCount(items.length)})</span></a></li>`
  })
  return html`<nav aria-label="Category"><h3>Category</h3><ul class="x-refine__main__list">${entries}</ul></nav>`
}

const pagination = ({ pageNumber, perPage, address }: ResultsPage, total: number): Markup => {
  const pages = Math.ceil(total / perPage)
  const target = new URL(address)
  target.searchParams.set('_pgn', String(pageNumber + 1))
  const next =
    pageNumber < pages &&
    html` <a class="pagination__next" rel="next" href="${target.pathname}${target.search}">Next page</a>`
  return html`<li class="srp-river-answer srp-river-answer--BASIC_PAGINATION_V2"><nav class="pagination">Page ${pageNumber} of ${Math.max(1, pages)}${next}</nav></li>`
}

const notice = (kind: string, text: string): Markup =>
  html`<li class="srp-river-answer srp-river-answer--${kind}"><section class="section-notice"><span class="section-notice__main"><p><span class="BOLD">${text}</span></p></span></section></li>`

/** A page of active or completed results, with everything that appears between the cards of a real one. */
export const resultsPage = (results: DemoResults, options: ResultsPage): string => {
  const { words, layout, pageNumber, perPage, address } = options
  const total = results.exact.length
  const shown = results.exact.slice((pageNumber - 1) * perPage, pageNumber * perPage)
  const cards = shown.map((item) => card(layout, item, options))
  const related = results.exact.slice(-6)
  const between = [...cards.slice(0, 8), ...(related.length > 5 ? [carousel(related, options)] : []), ...cards.slice(8)]
  const fewer = pageNumber === 1 && results.fewerWords.length > 0
  return page(
    `${words === '' ? 'Listings' : words} for sale`,
    words,
    address.href,
    html`<main>${refine(results, options)}<div style="flex:1"><div class="srp-controls"><h1 class="srp-controls__count-heading"><span class="BOLD">${longCount(total)}</span> result${total === 1 ? '' : 's'} for <span class="BOLD">${words}</span></h1></div>${
      total === 0 && html`<h3 class="srp-save-null-search__heading">No exact matches found</h3>`
    }<div id="srp-river-results"><ul class="srp-results srp-list clearfix">${total > 0 && [placeholder(layout), placeholder(layout), notice('RIGHT_ALIGNED_MESSAGE', 'Prices include what the marketplace adds.')]}${between}${
      fewer && [
        notice('REWRITE_START', 'Results matching fewer words'),
        ...results.fewerWords.map((item) => card(layout, item, options)),
      ]
    }${pagination(options, total)}</ul></div></div></main>`,
  )
}

const structured = (item: DemoItem, origin: string): Markup => {
  const breadcrumbs = {
    '@context': 'https://schema.org',
    '@type': 'BreadcrumbList',
    itemListElement: ['Demo', ...item.family.category.path].map((name, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name,
    })),
  }
  const product = {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: item.title,
    image: [photoUrl(item.photo, origin, 1600)],
    offers: {
      '@type': 'Offer',
      price: item.price.toFixed(2),
      priceCurrency: 'USD',
      availability: `https://schema.org/${item.outcome === undefined ? 'InStock' : 'OutOfStock'}`,
      itemCondition: `https://schema.org/${item.condition === 'Brand New' ? 'NewCondition' : 'UsedCondition'}`,
    },
  }
  const block = (data: object) =>
    `<script type="application/ld+json">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`
  return raw(block(breadcrumbs) + block(product))
}

/** The page of one item, with its seller. */
export const itemPage = (item: DemoItem, { origin, now }: { readonly origin: string; readonly now: Date }): string => {
  const { seller } = item
  const sellerLink = `${origin}/sch/${seller.name}/m.html`
  const end = item.endsAt(now)
  const positive = `${seller.positivePercent ?? 0}% positive`
  return page(
    item.title,
    '',
    `${origin}/itm/${item.id}`,
    html`<main><div class="item"><img src="${photoUrl(item.photo, origin, 1600)}" alt="${item.title}"><div><div class="vim x-item-title"><h1 class="x-item-title__mainTitle"><span class="ux-textspans">${item.title}</span></h1></div><div class="vim x-sellercard-atf"><div class="x-sellercard-atf__info"><div class="x-sellercard-atf__info__about-seller"><a href="${sellerLink}"><span class="ux-textspans">${seller.name}</span></a> <span class="ux-textspans--SECONDARY">(${longCount(seller.feedbackCount)})</span></div><div class="x-sellercard-atf__data-item"><span>${positive}</span></div></div></div><p class="x-price-primary"><span class="ux-textspans">US ${dollars(item.price)}</span></p>${
      end !== undefined && html`<p class="ux-timer">${item.bids} bids · ${timeUntil(end, now)} left</p>`
    }<div class="x-item-condition-text"><span class="ux-icon-text__text"><span class="ux-textspans">${item.condition}</span></span></div><div class="vim x-store-information"><h2 class="x-store-information__store-name"><a href="${sellerLink}">${seller.name}</a></h2><h4 class="x-store-information__highlights"><span>${positive} feedback</span><span> • </span><span>${longCount(Math.round(seller.feedbackCount * 1.4))}</span><span> items sold</span></h4><div class="x-store-information__info"><span class="ux-icon-text__text"><span class="ux-textspans">${joinedInWords(seller)}</span></span></div></div></div></div></main>${structured(item, origin)}`,
  )
}

/** The front page, with links to searches. */
export const frontPage = (origin: string, count: number): string =>
  page(
    'Welcome',
    '',
    origin,
    html`<main><div><h1>${longCount(count)} generated listings</h1><p>Nothing here is for sale: this marketplace exists so that searches have somewhere to go.</p><ul>${families.map(
      ({ category, noun }) =>
        html`<li><a href="/sch/i.html?_nkw=${encodeURIComponent(noun.toLowerCase())}&amp;_sacat=${category.id}">${category.path.join(' › ')}</a></li>`,
    )}</ul></div></main>`,
  )
