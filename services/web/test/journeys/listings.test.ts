import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { settled, violationsInThemes } from '../support/accessible.ts'
import { amend, answer } from '../support/answer.ts'
import { hasBrowser, skipped } from '../support/browser.ts'
import { browserTest } from '../support/browser-test.ts'
import { installationOfSuite } from '../support/installation.ts'

/** Records the texts of the status line of a search, in a page that is yet to load. */
const recordStates = (page: Page) =>
  page.addInitScript(`
    window.states = []
    new MutationObserver(() => {
      const text = document.querySelector('.results [role=status]')?.textContent.trim()
      if (text && text !== window.states.at(-1)) window.states.push(text)
    }).observe(document, { subtree: true, childList: true, characterData: true })
  `)

const cards = (page: Page) => page.getByRole('list', { name: 'Listings' }).locator(':scope > li')
const titles = (page: Page) => cards(page).getByRole('heading').allTextContents()
const priceOf = (text: string) => Number(/[\d,]+\.\d\d/.exec(text)?.[0].replaceAll(',', ''))
const prices = async (page: Page) => (await cards(page).locator('.price').allTextContents()).map(priceOf)

/** Opens a search and waits until nothing more is looked up. */
const search = async (page: Page, query: string): Promise<void> => {
  await page.goto(`/listings?${query}`)
  await ended(page)
}
const ended = async (page: Page): Promise<void> => {
  await page.getByText(/\d+ results/).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' })
}

/** The index of the first result whose title has a market price. The demo marketplace changes with the day, and with it which titles have one. */
const firstWithMarketPrice = async (page: Page): Promise<number> => {
  for (const [index, title] of (await titles(page)).entries()) {
    const response = await fetch(new URL(`/listings/api/comps?q=${encodeURIComponent(title)}`, page.url()))
    const { median_price: price } = (await response.json()) as { median_price: number | null }
    if (price !== null) return index
  }
  throw new Error('No result has a title with a market price.')
}

describe.skipIf(!hasBrowser)(`listings in a browser${skipped}`, () => {
  const installation = installationOfSuite()

  browserTest('buttons beside a long message have room for their labels on a phone', async () => {
    const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
    const { page } = await installation.open(phone)
    await search(page, 'q=canon+camera')
    await cards(page).first().getByRole('button', { name: 'Block seller' }).tap()
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.waitFor()
    expect(await undo.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    await undo.tap()
    await undo.waitFor({ state: 'detached' })
  })

  test('a search from home fills at once, and its scores become known while it is read', async () => {
    const { page, problems } = await installation.open()
    await recordStates(page)
    await page.goto('/home')
    await page.getByRole('searchbox', { name: 'Search listings' }).fill('canon camera')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.waitForURL(/\/listings\?q=canon\+camera/)
    await ended(page)
    await page.getByText('This is the built-in demo marketplace').waitFor()
    const market = page.getByRole('region', { name: 'Market price' })
    await market.getByText(/median of \d+ completed sales; half of them between [\d.,]+ and [\d.,]+ USD/).waitFor()
    await market.getByText(/^looked up again after \d\d:\d\d/).waitFor()

    const states = (await page.evaluate('window.states')) as string[]
    const final = states.flatMap((text) => {
      const count = /all scores final/.test(text) ? /(\d+) results/ : /(\d+) scores final/
      return count.exec(text)?.[1] ?? []
    })
    expect(final.length).toBeGreaterThan(1)
    expect(Number(final.at(-1))).toBeGreaterThan(Number(final[0]))
    expect(states[0]).toContain('searching')
    expect(problems()).toEqual([])
  })

  browserTest(
    'order and filters are in the address: reload, back and forward show the same, also of earlier searches',
    async () => {
      const { page, problems } = await installation.openShared()
      await search(page, 'q=canon+camera')
      await page.getByLabel('Sort by').selectOption('price')
      await page.waitForURL(/sort=price/)
      const sorted = await prices(page)
      expect(sorted).toEqual(sorted.toSorted((a, b) => a - b))
      await page.getByLabel('Trust at least').fill('70')
      await page.waitForURL(/trust=70/)
      await page.getByText(/\d+ results, \d+ hidden/).waitFor()
      const shown = await titles(page)
      expect(shown.length).toBeLessThan(sorted.length)

      await page.reload()
      await ended(page)
      expect(await titles(page)).toEqual(shown)
      expect(await page.getByLabel('Trust at least').inputValue()).toBe('70')

      const box = page.getByRole('searchbox', { name: 'Search listings' })
      await box.fill('thinkpad t14')
      await box.press('Enter')
      await page
        .getByRole('heading', { name: /ThinkPad/ })
        .first()
        .waitFor()
      await page.goBack()
      await page.getByRole('heading', { name: /Canon/ }).first().waitFor()
      await ended(page)
      expect(await box.inputValue()).toBe('canon camera')
      expect(await titles(page)).toEqual(shown)
      expect(new URL(page.url()).searchParams.get('sort')).toBe('price')
      await page.goForward()
      await page
        .getByRole('heading', { name: /ThinkPad/ })
        .first()
        .waitFor()
      expect(await box.inputValue()).toBe('thinkpad t14')

      await page.goto('/listings?q=canon+camera&sort=colour&min=cheap')
      await page.getByText('were left out: min, sort.').waitFor()
      expect(problems()).toEqual([])
    },
  )

  browserTest('an order that would change under the reader waits until it is asked for', async () => {
    const { page } = await installation.openShared()
    await search(page, 'q=canon+camera')
    const again = page.getByRole('button', { name: /scores? changed the order: sort again/ })
    const before = await titles(page)
    if (await again.isVisible()) await again.click()
    const trusts = await cards(page)
      .getByRole('img', { name: /^Trust/ })
      .evaluateAll((scores) => scores.map((score) => Number(/\d+/.exec(score.getAttribute('aria-label') ?? '')?.[0])))
    expect(trusts).toEqual(trusts.toSorted((a, b) => b - a))
    expect((await titles(page)).toSorted()).toEqual(before.toSorted())
  })

  test('a listing says why it scores what it does, and its points add up', async () => {
    const { page, problems } = await installation.openShared()
    await search(page, 'q=canon+camera')
    // Which scores of the demo marketplace are final changes with the day.
    const isFinal = page.getByRole('img', { name: /^Trust \d+ of 100$/ })
    const link = cards(page).filter({ has: isFinal }).first().getByRole('heading').getByRole('link')
    const title = (await link.textContent()) ?? ''
    const order = await titles(page)
    await amend<{ listing: { photo_urls: string[] } }>(page, /\/api\/listings\/\d{2,}$/, ({ listing }) => {
      listing.photo_urls = Array<string>(3).fill(listing.photo_urls[0] ?? '')
    })
    const pixel = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'
    await answer(page, /\/api\/photos\//, { status: 200, body: pixel, headers: { 'content-type': 'image/svg+xml' } })
    await answer(page, /\/api\/photos\/.*\b0$/, { status: 404 })
    await link.click()
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    const ledger = page.getByRole('table', { name: 'How the score adds up' })
    const rows = await ledger.locator('tbody tr').allTextContents()
    expect(rows).toHaveLength(5)
    const points = rows.map((row) => Number(/(\d+) of 20/.exec(row)?.[1]))
    const sum = points.reduce((total, each) => total + each, 0)
    expect(await ledger.locator('tfoot').textContent()).toContain(`${sum} of 100`)
    await page.getByRole('img', { name: `Trust ${sum} of 100` }).waitFor()
    // The marketplace's photo comes from here, so that the marketplace does not see the reader.
    const photo = page.getByRole('img', { name: /^The listing, photo/ })
    expect(await photo.getAttribute('src')).toMatch(/^\/listings\/api\/photos\//)
    // One that cannot be loaded is left out.
    await page.getByRole('button', { name: 'Photo 1', pressed: true }).waitFor()
    await page.getByRole('button', { name: 'Photo 2', pressed: false }).click()
    expect(await photo.getAttribute('alt')).toBe('The listing, photo 2 of 2')
    await settled(page)
    expect(await violationsInThemes(page)).toEqual([])
    await page.getByRole('button', { name: 'Block seller' }).click()
    await page.getByRole('dialog', { name: 'Block seller' }).getByLabel('Reason').waitFor()
    expect(await violationsInThemes(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.goBack()
    await ended(page)
    // Scores that became known since the listings were found do not move them.
    expect(await titles(page)).toEqual(order)
    await page.goto('/listings/item/0')
    await page.getByText('None of your searches has found this listing.').waitFor()
    expect(problems()).toEqual([])
  })

  test('a result explains its score in place, and its page shows its price among sales and when it was seen', async () => {
    const { page, problems } = await installation.openShared()
    await search(page, 'q=canon+camera&sort=price-down')
    const card = cards(page).nth(await firstWithMarketPrice(page))
    await card.getByRole('button', { name: 'Why this score' }).click()
    const ledger = card.getByRole('table', { name: 'How the score adds up' })
    await ledger.waitFor()
    expect(await ledger.locator('tbody tr').count()).toBe(5)
    expect(await violationsInThemes(page)).toEqual([])
    await card.getByRole('link', { name: 'Details' }).click()
    await page.getByRole('img', { name: 'This price against completed sales' }).waitFor()
    await page.getByText(/Confidence in the market price: \w+\. It is looked up again after \d{4}-/).waitFor()
    await page.getByText(/^\d+ sightings?$/).click()
    expect(await page.getByRole('list', { name: 'Sightings' }).getByRole('listitem').count()).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Report' }).click()
    await page.getByText('reported by you').waitFor()
    expect(await violationsInThemes(page)).toEqual([])
    expect(problems()).toEqual([])
  })

  browserTest('groups of terms show the searches that they become while they are typed, and are made', async () => {
    const { page, problems } = await installation.openShared()
    await search(page, 'q=thinkpad')
    const filters = page.getByRole('form', { name: 'Sent to the marketplace' })
    await filters.getByLabel('How').selectOption('groups')
    await filters.getByLabel('Must include').fill('8gb|16gb, i5|i7|ryzen')
    const made = filters.getByRole('list', { name: 'Searches that are made' }).getByRole('listitem')
    await expect
      .poll(() => made.allTextContents())
      .toEqual(['thinkpad 8gb (i5,i7,ryzen)', 'thinkpad 16gb (i5,i7,ryzen)'])
    expect(await violationsInThemes(page)).toEqual([])
    await filters.getByLabel('Must include').fill('a|b|c|d|e|f|g|h|i')
    await filters.getByText('These groups become 9 searches; at most 8 are made.').waitFor()
    await filters.getByLabel('Must include').fill('8gb|16gb')
    await filters.getByRole('button', { name: 'Search again' }).click()
    await ended(page)
    for (const title of await titles(page)) expect(title).toMatch(/8gb|16gb/i)
    expect(problems()).toEqual([])
  })

  browserTest('typed filters are part of the next search, whichever control starts it', async () => {
    const { page, problems } = await installation.openShared()
    await page.goto('/listings?q=thinkpad')
    await settled(page)
    const filters = page.getByRole('form', { name: 'Sent to the marketplace' })
    const box = page.getByRole('searchbox', { name: 'Search listings' })
    const addressHas = (expected: Record<string, string>) =>
      page.waitForURL(({ searchParams }) =>
        Object.entries(expected).every(([name, value]) => searchParams.get(name) === value),
      )
    await filters.getByLabel('Lowest price').fill('300')
    await box.press('Enter')
    await addressHas({ min: '300' })
    await filters.getByLabel('Must include').fill('8gb|16gb')
    await filters.getByLabel('How').selectOption('groups')
    await addressHas({ min: '300', must: '8gb|16gb', mode: 'groups' })
    await filters.getByLabel('Must not include').fill('broken')
    const saving = page.waitForRequest((request) => request.method() === 'PATCH')
    await filters.getByRole('button', { name: 'Start new searches with these' }).click()
    expect((await saving).postDataJSON().value).toContain('"must_exclude":"broken"')

    await filters.getByLabel('Highest price').fill('200')
    await box.press('Enter')
    await page.getByText('The lowest price is above the highest, so nothing can be found.').waitFor()
    await box.fill('')
    await box.press('Enter')
    await page.getByRole('button', { name: 'canon camera' }).waitFor()
    expect(await page.getByText('Nothing was found').count()).toBe(0)
    await box.fill('نص'.repeat(250))
    await page.setViewportSize({ width: 360, height: 740 })
    await box.press('Enter')
    await page.getByText('The lowest price is above the highest').waitFor()
    await page.getByRole('button', { name: 'Search without filters' }).click()
    await page.getByText('Nothing was found for').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    expect(problems()).toEqual([])
  })

  browserTest('two listings are compared side by side, and one that is gone leaves the other', async () => {
    const { page, problems } = await installation.openShared()
    await search(page, 'q=canon+camera')
    const [first = '', second = ''] = await titles(page)
    await cards(page).nth(0).getByLabel('Choose').check()
    await cards(page).nth(1).getByLabel('Choose').check()
    const currencies = ['USD', 'EUR']
    await amend<{ listing: { price: number; currency: string } }>(page, /\/api\/listings\/\d{2,}$/, ({ listing }) => {
      Object.assign(listing, { price: 100, price_high: null, currency: currencies.pop() ?? 'USD' })
    })
    await page.getByRole('link', { name: 'Compare 2' }).click()
    const table = page.getByRole('table', { name: 'Comparison' })
    await table.waitFor()
    await table.getByRole('rowheader', { name: '≠ Price', exact: true }).waitFor()
    expect(await table.locator('thead th').allTextContents()).toEqual(
      [first, second].map((title) => expect.stringContaining(title)),
    )
    await settled(page)
    expect(await violationsInThemes(page)).toEqual([])
    await table
      .getByRole('button', { name: `Remove ${first}` })
      .first()
      .click()
    await expect.poll(() => table.locator('thead th').count()).toBe(1)
    const [id] = new URL(page.url()).searchParams.getAll('ids')
    await page.goto(`/listings/compare?ids=0,${id}`)
    await page.getByText('One listing is not among what your searches have found, and left out.').waitFor()
    expect(await table.locator('thead th').count()).toBe(1)
    expect(problems()).toEqual([])
  })

  browserTest(
    'a listing that cannot be loaded leaves the others to be compared, and loads when it is tried again',
    async () => {
      const { page, problems } = await installation.openShared()
      await search(page, 'q=canon+camera')
      const [first = '', second = ''] = await titles(page)
      await cards(page).nth(0).getByLabel('Choose').check()
      await cards(page).nth(1).getByLabel('Choose').check()
      const compare = page.getByRole('link', { name: 'Compare 2' })
      const chosen = new URL((await compare.getAttribute('href')) ?? '', installation.origin).searchParams.get('ids')
      const restore = await answer(page, `/listings/api/listings/${chosen?.split(',')[0]}`, {
        status: 503,
        body: '{"detail":"The listings are busy."}',
      })
      await compare.click()
      const titlesOf = page.getByRole('table', { name: 'Comparison' }).locator('thead th')
      await titlesOf.first().waitFor()
      expect(await titlesOf.allTextContents()).toEqual([expect.stringContaining(second)])
      const failure = page.getByRole('alert').filter({ hasText: 'One listing could not be loaded.' })
      await failure.getByText('The listings are busy.').waitFor()
      await restore()
      await failure.getByRole('button', { name: 'Try again' }).click()
      await failure.waitFor({ state: 'detached' })
      expect(await titlesOf.allTextContents()).toEqual([first, second].map((title) => expect.stringContaining(title)))
      expect(problems()).toEqual([])
    },
  )

  test('a saved search is monitored, and its alerts appear while the page is open', async () => {
    const { page, problems } = await installation.openShared()
    await search(page, 'q=thinkpad&max=900')
    await page.getByRole('button', { name: 'Save search' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save search' })
    expect(await dialog.getByLabel('Name').inputValue()).toBe('thinkpad')
    await dialog.getByText('“thinkpad” · highest price 900').waitFor()
    await dialog.getByLabel('Name').fill('A thinkpad for Ada')
    await dialog.getByLabel('Monitor it and alert me').check()
    expect(await violationsInThemes(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved and monitored: what it finds is under “Alerts”.').waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Save search')
    const pages = page.getByRole('navigation', { name: 'Listings pages' })
    await pages.getByRole('link', { name: /^Alerts \d+\+? to look at$/ }).waitFor()
    expect(await violationsInThemes(page)).toEqual([])
    await pages.getByRole('link', { name: 'Saved' }).click()
    const saved = page.getByRole('list', { name: 'Saved searches' }).locator('li', { hasText: 'A thinkpad for Ada' })
    await saved.getByText('highest price 900').waitFor()
    expect(await saved.getByLabel('Monitor').isChecked()).toBe(true)
    await saved.getByText(/^checked/).waitFor()
    await saved.getByLabel('Trust at least').fill('60')
    await saved.getByLabel('Trust at least').press('Tab')
    await pages.getByRole('link', { name: /^Alerts/ }).click()
    const alerts = page.getByRole('list', { name: 'Alerts' }).locator(':scope > li')
    await alerts.first().waitFor()
    expect(await alerts.first().textContent()).toContain('A thinkpad for Ada')
    const status = page.getByRole('status').filter({ hasText: 'to look at' })
    const unread = async () => Number.parseInt((await status.textContent()) ?? '', 10)
    const count = await unread()
    expect(await violationsInThemes(page)).toEqual([])
    const title = (await alerts.first().getByRole('link').first().textContent()) ?? ''
    await alerts.first().getByRole('button', { name: 'Dismiss' }).click()
    await expect.poll(unread).toBe(count - 1)
    await page.getByLabel('Show dismissed ones, too').check()
    await page.waitForURL(/all=1/)
    await alerts.getByRole('link', { name: title }).first().waitFor()
    await page.getByLabel('Webhook').fill('https://example.org/alerts')
    await page.getByRole('button', { name: 'Create a feed' }).click()
    const address = (await page.locator('code').textContent()) ?? ''
    const feed = await fetch(address)
    expect([feed.status, await feed.text()]).toEqual([200, expect.stringContaining('<feed')])
    // The settings were loaded again, with the feed.
    await page.getByRole('button', { name: 'Close the feed' }).waitFor()
    expect(await page.getByLabel('Webhook').inputValue()).toBe('https://example.org/alerts')

    await page.getByRole('navigation', { name: 'Listings pages' }).getByRole('link', { name: 'Saved' }).click()
    await saved.getByRole('button', { name: 'Run' }).click()
    await page.waitForURL(/\/listings\?q=thinkpad&max=900/)
    await ended(page)
    expect(Math.max(...(await prices(page)))).toBeLessThanOrEqual(900)
    expect(problems()).toEqual([])
  })

  test('a blocked seller scores 0 and is in the blocklist, which travels as a file', async () => {
    const { page, problems } = await installation.openShared()
    await search(page, 'q=macbook')
    const card = cards(page).first()
    const seller = ((await card.locator('.what .small .wrap').first().textContent()) ?? '').trim()
    const blocking = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/blocklist'),
    )
    const warnings = await card.getByRole('list', { name: 'Warnings' }).getByRole('listitem').count()
    await card.getByRole('button', { name: 'Block seller' }).click()
    expect((await blocking).postDataJSON().flags).toHaveLength(warnings)
    await page.getByText(`${seller} is on the blocklist: their listings score 0.`).waitFor()
    await card.getByRole('img', { name: 'Trust 0 of 100' }).waitFor()
    await card.getByText('bad record').waitFor()
    await page.goto('/listings/blocklist')
    const list = page.getByRole('table', { name: 'Blocked sellers' })
    await list.getByRole('row', { name: seller }).waitFor()

    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export CSV' }).click()
    const download = await downloading
    const csv = await readFile(await download.path(), 'utf8')
    expect(download.suggestedFilename()).toBe('listings-blocklist.csv')
    expect(csv).toContain(seller)

    const rows = 'platform_seller_id,username,reason\nfrom-a-file,From a file,"Never sent, twice"\n,nameless,\n'
    const file = { name: 'sellers.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByText('1 seller was imported, a row was not:').waitFor()
    await list.getByText('Never sent, twice').waitFor()
    expect(await violationsInThemes(page)).toEqual([])
    await page.getByLabel('Id at the marketplace').fill('from-a-file')
    await page.getByLabel('Reason').fill('sent it after all')
    await page.getByRole('button', { name: 'Block seller' }).click()
    await page.getByText('From a file was blocked already: the entry is updated').waitFor()
    await list.getByText('sent it after all').waitFor()
    const bad = { name: 'photo.csv', mimeType: 'text/csv', buffer: Buffer.from([0xff, 0xd8, 0xff, 0, 1, 2]) }
    await page.locator('input[type=file]').setInputFiles(bad)
    await page.getByRole('alert').getByText('Nothing was imported.').waitFor()
    const empty = { name: 'none.csv', mimeType: 'text/csv', buffer: Buffer.from('platform_seller_id,username\n') }
    await page.locator('input[type=file]').setInputFiles(empty)
    await page.getByText('Nothing was imported: the file has no rows').waitFor()
    const nameless = `platform_seller_id,username\n${',nameless\n'.repeat(30)}`
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'bad.csv', mimeType: 'text/csv', buffer: Buffer.from(nameless) })
    await page.getByText('0 sellers were imported, 30 rows were not:').waitFor()
    await page.getByText('These are the first 20').waitFor()

    await page.getByLabel('Find a seller').fill('from-a-file')
    await page.getByText('1 of 2 sellers').waitFor()
    await list.getByRole('button', { name: 'Unblock' }).click()
    await page.getByText('No seller matches “from-a-file”.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await list.getByRole('row', { name: 'From a file' }).waitFor()
    expect(problems()).toEqual([])
  })

  test('settings are saved as they are chosen', async () => {
    const { page, problems } = await installation.openShared()
    await page.goto('/listings/settings')
    let saved = 0
    page.on('response', (response) => {
      if (response.request().method() === 'PATCH' && response.ok()) saved += 1
    })
    // The second is changed while the first is being saved.
    await page.getByLabel('Currency for comparison').selectOption('EUR')
    await page.getByLabel('My links carry no affiliate campaign').check()
    await expect.poll(() => saved).toBe(2)
    await expect.poll(() => page.locator('.toast').allTextContents()).toEqual([expect.stringContaining('Saved')])
    await page.reload()
    const optOut = page.getByLabel('My links carry no affiliate campaign')
    await optOut.waitFor()
    expect(await optOut.isChecked()).toBe(true)
    expect(await page.getByLabel('Currency for comparison').inputValue()).toBe('EUR')
    // The demo marketplace sells in dollars.
    await search(page, 'q=canon+camera')
    await cards(page).first().getByText('not in EUR').waitFor()
    await page.goto('/listings/settings')
    await page.getByLabel('Currency for comparison').selectOption('')
    await page.locator('.toast').first().waitFor()
    expect(problems()).toEqual([])
  })

  browserTest('results are chosen, and their sellers are blocked and reported together', async () => {
    const { page, problems } = await installation.openShared()
    await search(page, 'q=guitar')
    const chosen = page.getByRole('group', { name: 'Chosen listings' })
    const ids = await Promise.all([0, 1, 2].map((index) => cards(page).nth(index).getAttribute('id')))
    for (const index of [0, 1, 2]) await cards(page).nth(index).getByLabel('Choose').check()
    await chosen.getByText('3 chosen').waitFor()
    await chosen.getByRole('button', { name: 'Block sellers' }).click()
    await page.getByText(/on the blocklist: their listings score 0\./).waitFor()
    for (const index of [0, 1, 2]) await cards(page).nth(index).getByRole('img', { name: 'Trust 0 of 100' }).waitFor()
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    for (const index of [0, 1, 2])
      await cards(page).nth(index).getByRole('img', { name: 'Trust 0 of 100' }).waitFor({ state: 'detached' })
    await chosen.getByRole('button', { name: 'Report sellers' }).click()
    await cards(page).nth(2).getByText('reported by you').waitFor()
    // What is scrolled below the bar is too small to touch for as long as it is there.
    await page.evaluate('scrollTo(0, 0)')
    expect(await violationsInThemes(page)).toEqual([])
    await chosen.getByRole('button', { name: 'Choose none' }).click()
    await chosen.waitFor({ state: 'detached' })
    await page.reload()
    await ended(page)
    // By now more is known of some sellers, so the order may be another.
    for (const id of ids) await page.locator(`#${id}`).getByText('reported by you').waitFor()
    expect(problems()).toEqual([])
  })

  test('a score is judged, a category is chosen by its name, and new searches start with the filters of before', async () => {
    const { page, problems } = await installation.openShared()
    await search(page, 'q=canon+camera')
    const filters = page.getByRole('form', { name: 'Sent to the marketplace' })
    const { categories } = (await (await fetch(`${installation.origin}/listings/api/categories`)).json()) as {
      categories: { category_id: string; full_path: string }[]
    }
    const [category = { category_id: '', full_path: '' }] = categories
    await filters.getByLabel('Category').fill(category.full_path)
    await filters.getByLabel('Highest price').fill('1500')
    await filters.getByRole('button', { name: 'Search again' }).click()
    await page.waitForURL((url) => url.searchParams.get('cat') === category.category_id)
    await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' })
    expect(await filters.getByLabel('Category').inputValue()).toBe(category.full_path)
    await filters.getByRole('button', { name: 'Start new searches with these' }).click()
    await page.getByText('New searches start with these filters').waitFor()

    await page.goto('/listings')
    await page.waitForURL((url) => url.searchParams.get('max') === '1500')
    await page.goto('/listings/settings')
    await page.getByText('highest price 1500').waitFor()
    await page.getByRole('button', { name: 'Start without filters' }).click()
    await page.getByText('A new search starts without filters.').waitFor()

    await search(page, 'q=canon+camera')
    await cards(page).first().getByRole('link', { name: 'Details' }).click()
    const opinion = page.getByRole('group', { name: 'Your opinion of the score' })
    await opinion.getByRole('button', { name: 'Looks wrong' }).click()
    await opinion.getByText('Thank you, your opinion was saved.').waitFor()
    expect(await opinion.getByRole('button', { name: 'Looks wrong' }).getAttribute('aria-pressed')).toBe('true')
    expect(problems()).toEqual([])
  })

  browserTest(
    'rows that are removed one after another come back alone, and a removal survives that the page is closed',
    async () => {
      const { page, problems } = await installation.openShared()
      await page.goto('/listings/blocklist')
      const list = page.getByRole('table', { name: 'Blocked sellers' })
      for (const name of ['first-removed', 'second-removed', 'third', 'fourth', 'fifth']) {
        await page.getByLabel('Id at the marketplace').fill(name)
        await page.getByRole('button', { name: 'Block seller' }).click()
        await list.getByRole('row', { name }).waitFor()
      }
      const unblock = (name: string) => list.getByRole('row', { name }).getByRole('button', { name: 'Unblock' }).click()
      for (const name of ['first-removed', 'second-removed', 'third', 'fourth', 'fifth']) await unblock(name)
      // The way back of each is there as long as it can be taken.
      for (const name of ['second-removed', 'third']) {
        await page.locator('.toast', { hasText: name }).getByRole('button', { name: 'Undo' }).click()
        await list.getByRole('row', { name }).waitFor()
      }
      expect(await list.getByRole('row', { name: 'first-removed' }).count()).toBe(0)
      // Left before the time to undo is over.
      await page.goto('about:blank')
      const stored = async () => {
        const response = await fetch(`${installation.origin}/listings/api/blocklist`)
        const { entries } = (await response.json()) as { entries: { username: string }[] }
        return entries.map(({ username }) => username).filter((name) => name.endsWith('-removed'))
      }
      await expect.poll(stored).toEqual(['second-removed'])
      expect(problems()).toEqual([])
    },
  )
})
