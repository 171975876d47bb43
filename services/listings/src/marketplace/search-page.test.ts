import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expectLinear } from '@trellis/test/support/growth'
import { sharedData } from '@trellis/test/support/shared-data'
import { describe, expect, test } from 'vitest'
import { readItemPage } from './item-page.ts'
import { salesAmong } from './sales.ts'
import { type PageContext, readSearchPage, type SearchPage } from './search-page.ts'
import { readSellerPage } from './seller-page.ts'

const observedAt = new Date('2026-07-21T22:40:00Z')
const context: PageContext = { pageUrl: 'http://127.0.0.1:1/sch/i.html', observedAt, defaultCurrency: 'USD' }

const resultsOf = (html: string, change: Partial<PageContext> = {}): Extract<SearchPage, { kind: 'results' }> => {
  const page = readSearchPage(html, { ...context, ...change })
  if (page.kind !== 'results') throw new Error(`${page.kind}: ${page.reason}`)
  return page
}

const list = (...items: readonly string[]) =>
  `<html><h1 class="srp-controls__count-heading"><span class="BOLD">1.200+</span> Ergebnisse</h1><ul class="srp-results">${items.join('')}</ul></html>`
let next = 110000000000
const card = ({
  title = 'Kamera',
  rows = '',
  price = '<span class="s-card__price">$10.00</span>',
  extra = '',
  site = 'www.site.com',
} = {}) => {
  next += 1
  return `<li class="s-card" data-listingid="${next}">${extra}<a class="s-card__link" href="https://${site}/itm/${next}?x=1"><div class="s-card__title"><span>${title}</span><span class="clipped">Wird in neuem Fenster oder Tab geöffnet</span></div></a><div class="s-card__attribute-row">${price}</div>${rows}</li>`
}
const row = (text: string) => `<div class="s-card__attribute-row"><span>${text}</span></div>`
const secondary = (text: string) => `<div class="su-card-container__attributes__secondary">${row(text)}</div>`
const notice = (text: string, name = 'REWRITE_START') =>
  `<li class="srp-river-answer srp-river-answer--${name}"><section><p><span>${text}</span></p></section></li>`

test('an item page shows the feedback of its seller, whether or not its parts are in one element', () => {
  const parts =
    '<div class="x-sellercard-atf__info__about-seller"><a href="/usr/ada">ada</a> <span>(1,234)</span></div><div class="x-sellercard-atf__data-item">99.5% positive</div>'
  for (const shown of [parts, `<div class="x-sellercard-atf">${parts}</div>`]) {
    const page = readItemPage(`<html><h1 class="x-item-title__mainTitle">Camera</h1>${shown}</html>`, {
      ...context,
      pageUrl: 'https://www.site.com/itm/110000000001',
    })
    expect(page).toMatchObject({ kind: 'item', seller: { name: 'ada', feedbackCount: 1234, feedbackRatio: 0.995 } })
  }
})

test('an item page shows its seller, whether or not the name is a link', () => {
  const item = (content: string, name = '') =>
    `<div class="x-sellercard-atf__about-seller-item${name}">${content}</div>`
  for (const name of ['<span>ada</span>', '<a href="/usr/ada"><span>ada</span></a>', '<button>ada</button>'])
    for (const count of ['<span>(1,234)</span>', '<a href="#STORE_INFORMATION"><span>(1,234)</span></a>']) {
      const about =
        item(name, ' x-sellercard-atf__about-seller-item--seller-name') + item(count) + item('<span>Private</span>')
      const page = readItemPage(
        `<html><h1 class="x-item-title__mainTitle">Camera</h1><div class="x-sellercard-atf"><div class="x-sellercard-atf__info__about-seller">${about}</div><button>99.5% positive</button></div></html>`,
        { ...context, pageUrl: 'https://www.site.com/itm/110000000001' },
      )
      expect(page).toMatchObject({ kind: 'item', seller: { name: 'ada', feedbackCount: 1234, feedbackRatio: 0.995 } })
    }
})

test('an item page of 2019 shows the feedback of its seller', () => {
  const panel =
    '<div id="RightSummaryPanel"><div class="si-content"><div><a href="https://www.site.com/usr/ada"><span class="mbg-nw">ada</span></a><span class="mbg-l"> (<a href="/feedback">1234</a><span class="icon"></span>)</span></div><div id="si-fb">99.5% Positive feedback</div></div></div>'
  const page = readItemPage(`<html><h1 id="itemTitle">Camera</h1>${panel}</html>`, {
    ...context,
    pageUrl: 'https://www.site.com/itm/Camera/110000000001',
  })
  expect(page).toMatchObject({ kind: 'item', seller: { name: 'ada', feedbackCount: 1234, feedbackRatio: 0.995 } })
})

describe.each([1, 2])('a page of unknown markup that announces %s results', (total) => {
  const plain = (id: number) =>
    `<div class="x"><a href="/itm/12000000000${id}"><img src="/a.jpg"></a><div><a href="/itm/12000000000${id}"><h3>Camera ${id}</h3></a><b>$${id}0.00</b><i>ada (12) 99%</i></div></div>`
  const announced = (shown: number) =>
    `<h1 class="srp-controls__count-heading">${total} results</h1><div><aside><p>$500.00</p></aside><div>${[1, 2].slice(0, shown).map(plain).join('')}</div></div>`
  const advertised = `<h2>Sponsored</h2><div>${[5, 6, 7].map(plain).join('')}</div>`
  const results = [1, 2].slice(0, total).map((id) => ({
    id: `12000000000${id}`,
    title: `Camera ${id}`,
    price: { amount: id * 10 },
    seller: { name: 'ada' },
    photos: ['http://127.0.0.1:1/a.jpg'],
  }))

  test('has those, with or without advertisements after them', () => {
    expect(resultsOf(announced(total)).cards).toMatchObject(results)
    expect(resultsOf(announced(total) + advertised).cards).toMatchObject(results)
  })

  test('is drift if it has none of them', () => {
    expect(readSearchPage(announced(0), context).kind).toBe('drift')
  })
})

describe('invisible characters of a title', () => {
  test.each([
    ['are removed within words', 'ca\u200bme\u200dra \u00adbody\u200c', 'camera body'],
    ['that reverse the text are removed', '\u202eexe.gpj\u202c \u2067abc\u2069', 'exe.gpj abc'],
    ['stay in emoji', 'Gift \u{1f468}\u200d\u{1f469}\u200d\u{1f467}', 'Gift \u{1f468}\u200d\u{1f469}\u200d\u{1f467}'],
    ['stay in Persian words', 'می\u200cخواهم', 'می\u200cخواهم'],
  ])('%s', (_what, title, read) => {
    expect(resultsOf(list(card({ title }))).cards.map((found) => found.title)).toEqual([read])
  })
})

describe('a page whose links all have one made-up number', () => {
  const link = 'https://site.com/itm/123456?itmmeta=01'
  const fields = (title: string) =>
    `<a class="su-item-card__title" href="${link}"><span>${title}</span><span class="su-visually-hidden">derosnopS</span></a><span class="su-item-card__price">$12.50</span>`
  const titles = ['Shop on Site', 'Camera', 'Lens', 'Tripod']
  const ids = ['2500219655424533', '110000000001', '110000000002', '110000000003']
  const cards = (name: string) => titles.map((title, index) => [name, ids[index], fields(title)] as const)
  const pages = {
    'in a list of results': cards('s-card').map(
      ([name, id, content]) => `<li class="${name}" data-listingid=${id}>${content}</li>`,
    ),
    'in items of a list': cards('su-item-card').map(
      ([name, id, content]) =>
        `<li class="su-grid__item"><div class="${name}" data-listingid="${id}">${content}</div></li>`,
    ),
    'in no list': cards('su-item-card').map(
      ([name, id, content]) => `<div class="${name}" data-listingid="${id}">${content}</div>`,
    ),
  }
  test.each(Object.entries(pages))('shows the ids of its items in an attribute: %s', (where, markup) => {
    const items = markup.join('')
    const html = where === 'in no list' ? `<main>${items}</main>` : list(items)
    expect(resultsOf(html, { pageUrl: 'https://www.site.com/sch/i.html' }).cards).toMatchObject(
      titles.slice(1).map((title, index) => ({
        id: ids[index + 1],
        title,
        url: `https://www.site.com/itm/${ids[index + 1]}`,
        price: { amount: 12.5 },
      })),
    )
  })

  test('has no items without that attribute', () => {
    const html = list(`<li class="s-card">${fields('Camera')}</li>`)
    expect(readSearchPage(html, context).kind).not.toBe('results')
  })
})

/** Markup that is cut off or broken, without a single card. */
describe.each([
  ['tags without an end', '<link '],
  ['titles without an end', '<title '],
  ['scripts without an end', '<script '],
  ['data without an end', '<script type="application/ld+json">'],
  ['paragraphs without an end', '<p '],
  ['lists within lists', '<ul><li>'],
  ['elements within elements', '<div>'],
])('a page of %s', (_what, tag) => {
  test.each([
    ['results', (html: string) => readSearchPage(html, context)],
    ['an item', (html: string) => readItemPage(html, context)],
    ['a seller', (html: string) => readSellerPage(html)],
  ])('in place of %s is refused, with work that grows no faster than the page', (_kind, readPage) => {
    const pageOf = (length: number) => `<html>${tag.repeat(length / tag.length)}`
    expect(readPage(pageOf(1_024)).kind).toMatch(/refused|unreadable/)
    expectLinear(tag, (length) => readPage(pageOf(length)), 262_144)
  })
})

describe('cards in other languages', () => {
  test('a German auction: decimal commas, bids, time left, offers, feedback in thousands', () => {
    const [found] = resultsOf(
      list(
        card({
          site: 'www.site.de',
          title: 'Neues AngebotKamera mit Objektiv',
          price: '<span class="s-card__price">EUR 1.234,50</span>',
          rows: `${row('12 Gebote')}<span class="s-card__time-left">Noch 2T 3Std</span>${row('oder Preisvorschlag')}${secondary('foto-haus 99,8% positiv (2,3 Tsd.)')}`,
          extra: '<div class="s-card__subtitle"><span>Gebraucht | Privat</span></div>',
        }),
      ),
    ).cards
    expect(found).toMatchObject({
      title: 'Kamera mit Objektiv',
      price: { amount: 1234.5, currency: 'EUR', high: null },
      condition: 'gebraucht',
      seller: { name: 'foto-haus', feedbackCount: 2300, feedbackRatio: 0.998 },
      format: 'auction',
      bids: 12,
      endsAt: '2026-07-24T01:40:00.000Z',
    })
  })

  test.each([
    ['French', 'www.site.fr', '12,50 EUR à 20,00 EUR', { amount: 12.5, high: 20, currency: 'EUR' }],
    ['Japanese', 'www.site.com', '9,876 円', { amount: 9876, high: null, currency: 'JPY' }],
    ['Polish', 'www.site.pl', '129,00 zł', { amount: 129, high: null, currency: 'PLN' }],
    ['Canadian', 'www.site.ca', 'C $25.00', { amount: 25, high: null, currency: 'CAD' }],
    ['Canadian, bare', 'www.site.ca', '$25.00', { amount: 25, high: null, currency: 'CAD' }],
    ['Australian', 'www.site.com.au', 'AU $25.00', { amount: 25, high: null, currency: 'AUD' }],
    ['British', 'www.site.co.uk', '£25.00', { amount: 25, high: null, currency: 'GBP' }],
    ['Swiss', 'www.site.ch', 'CHF 1’250.00', { amount: 1250, high: null, currency: 'CHF' }],
  ])('a %s price', (_, site, price, expected) => {
    expect(
      resultsOf(list(card({ site, price: `<span class="s-card__price">${price}</span>` }))).cards[0]?.price,
    ).toMatchObject(expected)
  })

  test.each([
    ['Verkauft  4. Mai 2026', 'sold', '2026-05-04'],
    ['Vendu le 4 mai 2026', 'sold', '2026-05-04'],
    ['Venduto 4 mag 2026', 'sold', '2026-05-04'],
    ['Vendido el 4 may 2026', 'sold', '2026-05-04'],
    ['Beendet 4. Mai 2026', 'ended', '2026-05-04'],
    ['Ended  May 4, 2026', 'ended', '2026-05-04'],
  ])('"%s" is %s', (text, kind, on) => {
    const extra = `<div class="s-card__caption"><span>${text}</span></div>`
    expect(resultsOf(list(card({ extra }))).cards[0]?.outcome).toEqual({ kind, on })
  })

  test.each(['NIEUWE VERMELDING', 'Nowe ogłoszenie'])('"%s" is no part of a title', (prefix) => {
    expect(resultsOf(list(card({ title: `${prefix} Camera` }))).cards[0]?.title).toBe('Camera')
  })

  test.each([
    'Best offer accepted',
    'Preisvorschlag angenommen',
    'Offre directe acceptée',
    "Proposta d'acquisto accettata",
    'Offerta migliore accettata',
    'Mejor oferta aceptada',
    'Se aceptó la mejor oferta',
    'Zaakceptowano najlepszą ofertę',
  ])('"%s" is an accepted offer', (text) => {
    expect(resultsOf(list(card({ rows: row(text) }))).cards[0]?.offerAccepted).toBe(true)
  })
})

describe('the divider', () => {
  test.each([
    'Results matching fewer words',
    'Ergebnisse für weniger Suchbegriffe',
    'Résultats correspondant à moins de mots',
    'Risultati corrispondenti a un minor numero di parole',
    'Resultados que coinciden con menos palabras',
    'Resultaten die overeenkomen met minder woorden',
    'Wyniki pasujące do mniejszej liczby słów',
    'より少ないキーワードに一致する検索結果',
    '検索キーワードの一部に一致する結果',
    '符合較少字詞的結果',
  ])('"%s" divides the results', (text) => {
    const page = resultsOf(list(card(), notice(text), card(), card()))
    expect([page.cards.length, page.fewerWords.length]).toEqual([1, 2])
  })

  test.each([
    ['another notice of the same class', notice('Results from international sellers')],
    ['a script that holds the words', '<script>var a = "<p>Results matching fewer words</p>"</script>'],
    [
      'a carousel',
      `<li class="srp-river-answer"><ul><li><a href="/itm/199999999991">Less than 100 words</a></li><li><a href="/itm/199999999992">Book</a></li></ul></li>`,
    ],
  ])('the results are not divided by %s', (_, between) => {
    const page = resultsOf(list(card(), between, card()))
    expect([page.cards.length, page.fewerWords.length]).toEqual([2, 0])
  })

  test('all cards of a second list under the divider match fewer words', () => {
    const html = `<ul class="srp-results">${card()}</ul><div class="srp-river-answer"><h2 class="x">Results matching fewer words</h2><ul class="srp-results">${card()}${card()}</ul></div>`
    const page = resultsOf(html)
    expect([page.cards.length, page.fewerWords.length]).toEqual([1, 2])
  })
})

describe('pages whose classes are unknown', () => {
  const plain = (id: number, tag: string) =>
    `<${tag} class="q${id % 7}"><a href="/itm/${id}?a=1"><img src="/p/${id}.jpg" alt="x"></a><h3 role="heading"><a href="/itm/${id}">Camera ${id}</a></h3><div><span class="z">$${id % 90}5.00</span><span class="y" style="text-decoration:line-through">$999.00</span></div><div>+$4.00 delivery</div><div><span>seller.${id}</span> <span>98.5% positive (1.2K)</span></div></${tag}>`
  const ids = [120000000001, 120000000002, 120000000003, 120000000004]

  test.each(['li', 'div'])('cards in %s elements are still read', (tag) => {
    const html = `<main><nav><ul><li><a href="/b/1">Cameras</a></li></ul></nav><${tag === 'li' ? 'ul' : 'section'}>${ids.map((id) => plain(id, tag)).join('')}</${tag === 'li' ? 'ul' : 'section'}></main>`
    const page = resultsOf(html, { pageUrl: 'https://www.site.co.uk/sch' })
    expect(page.cards.map(({ id }) => id)).toEqual(ids.map(String))
    expect(page.cards[0]).toMatchObject({
      title: 'Camera 120000000001',
      url: 'https://www.site.co.uk/itm/120000000001',
      price: { currency: 'USD', isStruck: false },
      seller: { name: 'seller.120000000001', feedbackCount: 1200, feedbackRatio: 0.985 },
    })
  })

  test('list items without closing tags are separated', () => {
    const html = `<ul class=srp-results>${ids.map((id) => plain(id, 'li').replace('</li>', '')).join('')}</ul>`
    expect(resultsOf(html).cards.map(({ id }) => id)).toEqual(ids.map(String))
  })
})

describe('special cards', () => {
  test('an auction with Buy It Now has two prices and no range', () => {
    const [found] = resultsOf(
      list(
        card({
          rows: `${row('3 bids')}<div class="s-card__attribute-row"><span class="s-card__price">$99.00</span></div>`,
        }),
      ),
    ).cards
    expect(found).toMatchObject({ price: { amount: 10, high: null }, bids: 3, format: 'auction' })
  })

  test('a price beside its conversion into another currency is no range', () => {
    const [found] = resultsOf(list(card({ price: '<span class="s-card__price">$5.59 (CA $7.80)</span>' }))).cards
    expect(found?.price).toMatchObject({ amount: 5.59, currency: 'USD', high: null })
  })

  test('the price of a unit beside a price is not the end of a range', () => {
    const price = '<span class="s-card__price">EUR 20,00 (EUR 25,00/kg)</span>'
    const [found] = resultsOf(list(card({ price }))).cards
    expect(found?.price).toMatchObject({ amount: 20, currency: 'EUR', high: null })
  })

  test.each(['Not sold May 4, 2026', 'Nicht verkauft 4. Mai 2026', 'Non vendu le 4 mai 2026', 'No vendido 4 may 2026'])(
    '"%s" is no sale',
    (text) => {
      const extra = `<div class="s-card__caption"><span>${text}</span></div>`
      expect(salesAmong(resultsOf(list(card({ extra }))).cards)).toEqual([])
    },
  )

  test('a countdown without a known class is read', () => {
    const [found] = resultsOf(
      list(card({ rows: '<div class="su-bid-countdown">4 bids · Time left 1d 3h</div>' })),
    ).cards
    expect(found).toMatchObject({ bids: 4, format: 'auction', endsAt: '2026-07-23T01:40:00.000Z' })
  })

  test('time left in the line of the bids is read in other languages, too', () => {
    const [found] = resultsOf(list(card({ rows: row('17 Gebote · Restzeit Noch 1 Std 57 Min') }))).cards
    expect(found).toMatchObject({ bids: 17, format: 'auction', endsAt: '2026-07-22T00:37:00.000Z' })
  })

  test.each(['Sale ends in 2d 4h', 'Only 3 left', '10 sold', 'Last one'])('a card with "%s" is no auction', (text) => {
    const [found] = resultsOf(list(card({ rows: row(text) }))).cards
    expect(found).toMatchObject({ bids: null, endsAt: null, format: 'fixed_price', outcome: null })
  })

  test('is read from a time span before the clock time, without words', () => {
    const spans = '<div class="s-card__attribute-row"><span>2d 3h</span> <span>(Thu, 6:52PM)</span></div>'
    const [found] = resultsOf(list(card({ rows: `${row('3 bids')}${spans}` }))).cards
    expect(found).toMatchObject({ bids: 3, format: 'auction', endsAt: '2026-07-24T01:52:00.000Z' })
    const [length] = resultsOf(list(card({ rows: `${row('3 bids')}${row('1m')}${row('2d 3h')}` }))).cards
    expect(length).toMatchObject({ bids: 3, endsAt: null })
  })

  test('a card with a huge run of digits is read, with work that grows no faster than the run', () => {
    const read = (length: number) => resultsOf(list(card({ rows: row('1,'.repeat(length / 2)) }))).cards
    expect(read(30_000)).toHaveLength(1)
    expectLinear('digits', read, 65_536)
  })

  test('a picture that stands for a missing photo, or for one that is not loaded yet, is no photo', () => {
    const photos = [
      '<img src="/cr/v/c1/s_1x2.gif" data-src="/images/g/a/s-l500.webp">',
      '<img src="/cr/v/c1/s_1x2.gif">',
      '<img src="/pictures/aw/pics/stockimage1.jpg">',
      '<img src="/pictures/aw/pics/nextGenVit/imgNoImg.gif">',
    ].map((extra) => resultsOf(list(card({ extra }))).cards[0]?.photos)
    expect(photos).toEqual([['http://127.0.0.1:1/images/g/a/s-l500.webp'], [], [], []])
  })

  test('a photo is read from the largest candidate of a srcset, unless another attribute has one of a known size', () => {
    const photos = [
      '<img src="data:image/gif;base64,AA==" srcset="/p/a-140.webp 140w, /p/a-500.webp 500w">',
      '<img src="/static/loading.svg" data-srcset="/p/a.webp, /p/a-500.webp 2x">',
      '<picture><source type="image/webp" srcset="/p/a-500.webp"><img src="/static/loading.svg"></picture>',
      '<img src="/images/g/a/s-l500.webp" srcset="/images/g/a/s-l140.webp 1x, /images/g/a/s-l960.webp 2x">',
      '<img src="/p/a.jpg" srcset="data:image/gif;base64,AA==">',
    ].map((extra) => resultsOf(list(card({ extra }))).cards[0]?.photos)
    const origin = 'http://127.0.0.1:1'
    expect(photos).toEqual([
      ...Array(3).fill([`${origin}/p/a-500.webp`]),
      [`${origin}/images/g/a/s-l500.webp`],
      [`${origin}/p/a.jpg`],
    ])
  })

  test('a price that is struck through is used only where there is no other', () => {
    const price = '<span class="strikethrough s-card__price">$300.00</span>'
    expect(resultsOf(list(card({ price }))).cards[0]?.price).toMatchObject({ amount: 300, isStruck: true })
    const reduced = '<span class="s-card__price">$200.00</span><span class="strikethrough">$300.00</span>'
    expect(resultsOf(list(card({ price: reduced }))).cards[0]?.price).toMatchObject({
      amount: 200,
      high: null,
      isStruck: false,
    })
  })

  test('a seller is read from one span, from two, in the older order, and without a rating', () => {
    const sellers = [
      secondary('shop  99.8% positive (99.6K)'),
      '<div class="su-card-container__attributes__secondary"><div class="s-card__attribute-row"><span>shop</span><span>99.8% positive (99.6K)</span></div></div>',
      '<span class="s-item__seller-info-text">shop (99,600) 99.8%</span>',
      secondary('shop'),
    ]
    const found = sellers.map((rows) => resultsOf(list(card({ rows }))).cards[0]?.seller)
    expect(found.slice(0, 3)).toEqual(Array(3).fill({ name: 'shop', feedbackCount: 99600, feedbackRatio: 0.998 }))
    expect(found[3]).toEqual({ name: 'shop', feedbackCount: null, feedbackRatio: null })
  })

  test('a seller without feedback has a count of 0, in every language', () => {
    const sellers = ['shop No feedback', 'shop (No feedback yet)', 'shop Keine Bewertungen', 'shop 評価なし'].map(
      (text) => resultsOf(list(card({ rows: secondary(text) }))).cards[0]?.seller,
    )
    expect(sellers).toEqual(Array(4).fill({ name: 'shop', feedbackCount: 0, feedbackRatio: null }))
  })

  test('a seller with more negative feedback than positive is read, with a count of 0', () => {
    const sellers = [
      secondary('shop 0% positive (-1)'),
      secondary('shop (-12)'),
      '<span class="s-item__seller-info-text">shop (-1) 0%</span>',
    ]
    const found = sellers.map((rows) => resultsOf(list(card({ rows }))).cards[0]?.seller)
    expect(found).toMatchObject(Array(3).fill({ name: 'shop', feedbackCount: 0 }))
  })

  test('a seller without a count of feedback is read, and a discount is no seller', () => {
    const sellers = ['shop 99.8% positive', 'shop 99,8 % positiv', 'Extra 10% off', 'Extra 10%'].map(
      (text) => resultsOf(list(card({ rows: secondary(text) }))).cards[0]?.seller,
    )
    const shop = { name: 'shop', feedbackCount: null, feedbackRatio: 0.998 }
    expect(sellers).toEqual([shop, shop, null, null])
  })

  test.each([
    ['From $950.00', [950, 950]],
    ['Up to $950.00', [950, 950]],
    ['ab EUR 950,00', [950, 950]],
    ['950元起', [950, 950]],
    ['From $950.00 to $1,000.00', [950, 1000]],
    ['$950.00', [950, null]],
  ])('the price "%s" is %j', (text, expected) => {
    const { price } = resultsOf(list(card({ price: `<span class="s-card__price">${text}</span>` }))).cards[0] ?? {}
    expect([price?.amount, price?.high]).toEqual(expected)
  })

  test('a badge beside a seller is not their name', () => {
    const badged = (badge: string, seller: string) =>
      `<div class="su-card-container__attributes__secondary">${row(badge)}${row(seller)}</div>`
    const sellers = [
      badged('Sponsored', 'shop'),
      badged('Verified', 'shop (12)'),
      badged('Gesponsert', 'shop 99.8% positive'),
      '<div class="su-card-container__attributes__secondary"><div class="s-card__attribute-row"><span>Top Rated Plus</span><span>shop</span><span>99.8% positive (12)</span></div></div>',
    ].map((rows) => resultsOf(list(card({ rows }))).cards[0]?.seller)
    expect(sellers.map((seller) => seller?.name)).toEqual(Array(4).fill('shop'))
    expect(resultsOf(list(card({ rows: secondary('Sponsored') }))).cards[0]?.seller).toBeNull()
  })

  test.each([
    [['Free Shipping** 1 Year Warranty'], null],
    [['Authorized APR Dealer'], null],
    [['USA Seller'], null],
    [['✅ Top Rated ✅'], null],
    [['Authorized Dealer', 'Brand New'], 'brand new'],
    [['Brand New', 'Authorized Dealer'], 'brand new'],
    [['Free Returns', 'İkinci El'], 'i̇kinci el'],
  ])('subtitles %j show the condition %j', (subtitles, condition) => {
    const extra = subtitles.map((text) => `<div class="s-card__subtitle">${text}</div>`).join('')
    expect(resultsOf(list(card({ extra }))).cards[0]?.condition).toBe(condition)
  })

  test('a card that links to a product of the catalogue shows its item', () => {
    const linked = card().replaceAll(/\/itm\/(\d+)\?x=1/g, '/p/27064997197?x=1&amp;iid=$1')
    const unnamed = card().replaceAll(/\/itm\/\d+\?x=1/g, '/p/27064997197')
    const { cards } = resultsOf(list(linked, unnamed))
    expect(cards.map(({ id, url }) => [id, url])).toEqual([
      [String(next - 1), `http://127.0.0.1:1/itm/${next - 1}`],
      [String(next), `http://127.0.0.1:1/itm/${next}`],
    ])
  })

  test('a percentage in the name of a seller is not the share of positive feedback', () => {
    const sellers = [
      secondary('50% Off Outlet 99.8% positive (1,234)'),
      '<span class="s-item__seller-info-text">50% Off Outlet (1,234) 99.8%</span>',
    ]
    const found = sellers.map((rows) => resultsOf(list(card({ rows }))).cards[0]?.seller)
    expect(found).toEqual(Array(2).fill({ name: '50% Off Outlet', feedbackCount: 1234, feedbackRatio: 0.998 }))
  })
})

describe('pages without results', () => {
  test.each([
    ['a challenge', '<title>Pardon Our Interruption...</title>'],
    ['an error page', '<title>Error Page | Site</title>'],
    ['an empty answer', ''],
    ['some other page', '<title>Welcome</title><p>Hello</p>'],
  ])('%s is refused', (_, html) => {
    expect(readSearchPage(html, context).kind).toBe('refused')
  })

  test.each([
    ['Results for iPhone 14', 'iphone 14', null],
    ['Results for 0 ohm', '0 ohm', null],
    ['1,214 results for iPhone 14', 'iphone 14', 1214],
    ['14 results for 14', '14', 14],
    ['14 results', '14', 14],
    ['1,214 results', '14', 1214],
    ['2 results for c++ (3rd)', 'c++ (3rd)', 2],
  ])('the heading "%s" of the query "%s" announces %s results', (heading, query, total) => {
    const pageUrl = `http://127.0.0.1:1/sch/i.html?${new URLSearchParams({ _nkw: query })}`
    const html = `<h1 class="srp-controls__count-heading">${heading}</h1><ul class="srp-results">${card()}</ul>`
    expect(resultsOf(html, { pageUrl }).total).toBe(total)
  })

  test('a page that states in words or numbers that nothing was found is empty', () => {
    for (const html of [
      '<h1 class="srp-controls__count-heading">0 results for x</h1>',
      '<h3 class="srp-save-null-search__heading">No exact matches found</h3>',
      '<h3>Keine Treffer gefunden</h3>',
      '<h3>Keine exakten Übereinstimmungen gefunden</h3>',
      '<h3>Aucune correspondance exacte trouvée</h3>',
      '<h3>No se encontraron coincidencias exactas</h3>',
      '<h3>Nie znaleziono dokładnych dopasowań</h3>',
    ])
      expect(readSearchPage(html, context)).toMatchObject({ kind: 'results', cards: [], total: 0 })
  })

  test('items that a page suggests after it has stated that nothing was found are no results', () => {
    const heading = '<h1 class="srp-controls__count-heading"><span class="BOLD">0</span> results for x</h1>'
    const suggested = `<h2>You may also like</h2><ul class="srp-results">${card()}${card()}</ul>`
    const found = readSearchPage(`${heading}<h3>No exact matches found</h3>${suggested}`, context)
    expect(found).toMatchObject({ kind: 'results', cards: [], total: 0 })
    const abroad = `<h2>Results from international sellers</h2><ul class="srp-results">${card()}</ul>`
    expect(resultsOf(`${heading}${abroad}`).cards).toHaveLength(1)
  })

  test.each([
    ['1,234 results for x', 1234],
    ['1.234 Ergebnisse für x', 1234],
    ['1\u00a0234 résultats pour x', 1234],
    ['1\u202f234\u202f567 wyników dla x', 1234567],
    ["1'234 Ergebnisse", 1234],
    ['60 results for iphone 14', 60],
    ['12 34 results', 12],
  ])('the total of "%s" is %d', (heading, total) => {
    const html = `<h1 class="srp-controls__count-heading">${heading}</h1>${list(card())}`
    expect(readSearchPage(html, context)).toMatchObject({ kind: 'results', total })
  })

  test('cards that lost their prices are drift', () => {
    expect(readSearchPage(list(...Array.from({ length: 10 }, () => card({ price: '' }))), context)).toMatchObject({
      kind: 'drift',
      completeness: { cards: 10, id: 1, price: 0, usable: 0 },
    })
  })
})

test("a seller's category counts have thousands separators of any kind", () => {
  const html = `<ul><li class="x-refine__main__list--value"><a href="?_sacat=1">Consumer Electronics<span> (67,232)</span></a></li><li class="x-refine__main__list--value"><a href="?_sacat=2">Cell Phones</a> (1.204)</li><li class="x-refine__main__list--value"><a href="?_sacat=3">Books</a></li></ul>`
  expect(readSellerPage(html)).toMatchObject({
    history: { ELECTRONICS: 67232, CELL_PHONES: 1204 },
    counts: [
      ['Consumer Electronics', 67232],
      ['Cell Phones', 1204],
      ['Books', 1],
    ],
  })
})

const page = (name: string): string => gunzipSync(readFileSync(sharedData('marketplace', name) ?? '')).toString()
const hasData = sharedData('marketplace') !== undefined

describe.skipIf(!hasData)('saved pages (needs the shared marketplace data)', () => {
  test.each([
    ['active-2025-09-en.html.gz', { cards: 60, ranges: 22, auctions: 0 }],
    ['active-2026-04-carousels.html.gz', { cards: 60, ranges: 14, auctions: 0 }],
    ['auctions-2026-07-en.html.gz', { cards: 60, ranges: 0, auctions: 60 }],
    ['sold-2026-05-fewer-words.html.gz', { cards: 60, ranges: 0, auctions: 0 }],
  ])('%s is read in full', (name, expected) => {
    const read = resultsOf(page(name))
    const cards = [...read.cards, ...read.fewerWords]
    expect(cards).toHaveLength(expected.cards)
    const complete = cards.filter(
      ({ id, title, price, url, seller }) => id && title && price && url && seller?.feedbackRatio !== undefined,
    )
    expect(complete.length / cards.length).toBeGreaterThanOrEqual(0.98)
    expect(new Set(cards.map(({ price }) => price?.currency))).toEqual(new Set(['USD']))
    expect(cards.filter(({ price }) => price?.high).length).toBe(expected.ranges)
    expect(
      cards.filter(({ format, bids, endsAt }) => format === 'auction' && bids !== null && endsAt !== null).length,
    ).toBe(expected.auctions)
  })

  test('a page of sold items with one match has one sale', () => {
    const read = resultsOf(page('sold-2026-05-fewer-words.html.gz'))
    expect([read.cards.length, read.fewerWords.length, read.total]).toEqual([1, 59, 1])
    expect(read.fewerWords.filter(({ offerAccepted, price }) => offerAccepted && price?.isStruck)).toHaveLength(3)
    expect(salesAmong(read.cards)).toHaveLength(1)
  })

  test('saved refusals are recognized, and a saved item page has the facts for enrichment', () => {
    expect(readSearchPage(page('blocked.html.gz'), context).kind).toBe('refused')
    expect(readSearchPage(page('error-page.html.gz'), context).kind).toBe('refused')
    const item = readItemPage(page('item-joined-eur.html.gz'), context)
    expect(item).toMatchObject({
      kind: 'item',
      joined: { earliest: '2007-08-01', latest: '2007-08-31' },
      sellerNames: expect.arrayContaining(['salomon0651']),
      price: { currency: 'USD' },
      seller: { feedbackCount: 113, feedbackRatio: 1 },
      itemsSold: 43,
    })
    expect(item.kind === 'item' && item.categories).toContain('Computers/Tablets & Networking')
  })
})

test.each([
  ['(0)', 0],
  ['(12)', 12],
  ['(-1)', 0],
  ['No feedback', 0],
  ['Noted', null],
  ['(3 items)', null],
  ['sells (0) items', null],
])('a seller without a percentage on an item page, followed by %s, has the count %s', (after, feedbackCount) => {
  const html = `<h1 class="x-item-title__mainTitle">Camera</h1><div class="x-sellercard-atf"><div class="x-sellercard-atf__info__about-seller"><a href="/usr/anna">Anna's</a></div><span>${after}</span></div>`
  expect(readItemPage(html, context)).toMatchObject({ seller: { name: 'anna', feedbackCount, feedbackRatio: null } })
})

test.each([
  ['43 items sold', 43],
  ['1.2K sold', 1_200],
  ['3 412 objets vendus', 3_412],
  ['3\u202f412 objets vendus', 3_412],
  ['1,2 Tsd. verkauft', 1_200],
  ['12 Tsd. Artikel verkauft', 12_000],
  ['1,2 mil vendidos', 1_200],
  ['3 mila oggetti venduti', 3_000],
  ['2,5 тыс. продано', 2_500],
  ['12 万 件已售出', 120_000],
  ['5M items sold', 5_000_000],
  ['2 watches sold', 2],
  ['1.234 Artikel verkauft', 1_234],
  ['12 followers', null],
])('a store with the highlight "%s" has sold %s items', (highlight, itemsSold) => {
  const html = `<h1 class="x-item-title__mainTitle">Camera</h1><h2 class="x-store-information__store-name">anna</h2><div class="x-store-information__highlights">99.1% positive feedback • 700 followers • ${highlight}</div>`
  expect(readItemPage(html, context)).toMatchObject({ itemsSold })
})

test.each([
  '/usr/ada',
  'https://www.site.com/sch/ada/m.html?item=1&rt=nc',
  'https://www.site.com/sch/i.html?item=1&_ssn=ada&rt=nc',
])("the username of an item's seller is read from %s, not from the name of a store", (href) => {
  const html = `<h1 class="x-item-title__mainTitle">Camera</h1><div class="x-sellercard-atf"><div class="x-sellercard-atf__info__about-seller"><a href="${href}">Ada's Cameras</a></div></div>`
  expect(readItemPage(html, context)).toMatchObject({ seller: { name: 'ada' }, sellerNames: ['ada', "Ada's Cameras"] })
})

test("the username of a store's owner is read from the list of their other items", () => {
  const html = `<h1 class="x-item-title__mainTitle">Camera</h1><div class="x-sellercard-atf"><div class="x-sellercard-atf__info__about-seller"><a href="/str/adascameras">Ada's Cameras</a> <span>(12)</span></div><a href="/sch/i.html?_ssn=ada&store_name=adascameras">Seller's other items</a></div>`
  expect(readItemPage(html, context)).toMatchObject({
    seller: { name: 'ada', feedbackCount: 12 },
    sellerNames: ["Ada's Cameras", 'ada'],
  })
})

test('an address of a seller that is not validly percent-encoded is used verbatim', () => {
  const html = `<h1 class="x-item-title__mainTitle">Camera</h1><div class="x-sellercard-atf"><div class="x-sellercard-atf__info__about-seller"><a href="/usr/100%">100% Cameras</a></div></div>`
  expect(readItemPage(html, context)).toMatchObject({
    kind: 'item',
    seller: { name: '100%' },
    sellerNames: ['100%', '100% Cameras'],
  })
})
