import { openAsBlob } from 'node:fs'
import { freePort } from '@trellis/distributed/servers'
import type { ChainRest } from '@trellis/protos/edge/client.ts'
import { openSeverable } from '@trellis/test/support/severable'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import type { Trellis } from '@trellis/test/support/trellis'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settled } from '../support/accessible.ts'
import { answer } from '../support/answer.ts'
import { hasBrowser, launchBrowser, skipped, type TestBrowser } from '../support/browser.ts'
import { browserTest } from '../support/browser-test.ts'
import { logLines, pushLines } from '../support/log-lines.ts'
import { startWithPages } from '../support/served.ts'

/** Time for the test that starts a second server, in milliseconds. */
const startsTwice = 360_000

const offline = 'The server cannot be reached. What you see stays; changes are not possible.'

describe.skipIf(!hasBrowser)(`pages in trouble${skipped}`, () => {
  let opened: AsyncDisposableStack
  let trellis: Trellis
  let browser: TestBrowser
  let port = ''
  let dataDirectory = ''
  const start = () => startWithPages({ PORT: port }, { dataDirectory, form: 'embedded' })
  beforeAll(async () => {
    opened = new AsyncDisposableStack()
    dataDirectory = opened.use(await temporaryDirectory()).path
    port = String(await freePort())
    trellis = await start()
    opened.defer(() => trellis[Symbol.asyncDispose]())
    browser = opened.use(await launchBrowser())
    await pushLines(trellis.origin, 'shop', logLines(40).split('\n'))
  })
  afterAll(() => opened.disposeAsync())

  const createPiece = async (): Promise<{ id: string; root: string }> => {
    const form = new FormData()
    form.append('file', await openAsBlob('docs/examples/tune.ogg'), 'quiet.ogg')
    const created = await fetch(`${trellis.origin}/music/api/chains`, { method: 'POST', body: form })
    const { chain_id: id, root_node_id: root } = (await created.json()) as { chain_id: string; root_node_id: string }
    return { id, root }
  }

  /** Continues a piece by one take, and waits until it is ready. */
  const continuePiece = async (id: string, root: string): Promise<void> => {
    const response = await fetch(`${trellis.origin}/music/api/chains/${id}/nodes/${root}/branches`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ duration_seconds: 1, takes: 1, generator: 'mock' }),
    })
    expect(response.status).toBe(202)
    const statuses = async () => {
      const chain = (await (await fetch(`${trellis.origin}/music/api/chains/${id}`)).json()) as ChainRest
      return chain.nodes.map(({ status }) => status)
    }
    await expect.poll(statuses).toEqual(['ready', 'ready'])
  }

  /** Continues a piece while the events of its page are held back, and waits until the page shows the take after their release. */
  const showsTakeOf = async (piece: { id: string; root: string }, page: Page, release: () => void): Promise<void> => {
    await continuePiece(piece.id, piece.root)
    const take = page.getByRole('treeitem', { name: 'Take 1' })
    expect(await take.count()).toBe(0)
    release()
    await take.getByText('undecided').waitFor()
  }

  test(
    'a live tail, a studio and a search say that their server was killed, and resume when it has restarted',
    async () => {
      const tail = await browser.open(trellis.origin)
      await tail.page.goto('/logs?live=1')
      await tail.page.getByRole('status').filter({ hasText: 'Following' }).waitFor()
      const studio = await browser.open(trellis.origin)
      await studio.page.goto('/home')
      await studio.page.getByRole('button', { name: 'Continue an example tune' }).click()
      await studio.page.getByRole('form', { name: 'Continue' }).waitFor()
      const search = await browser.open(trellis.origin)
      await search.page.goto('/listings?q=canon+camera')
      await search.page.getByText(/\d+ results/).waitFor()
      await search.page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' })

      await trellis.stop('SIGKILL')
      await tail.page.getByText(offline).waitFor()
      await studio.page.getByText(offline).waitFor()
      const cards = search.page.getByRole('list', { name: 'Listings' }).locator(':scope > li')
      const count = await cards.count()
      await search.page.getByText(offline).waitFor()
      const block = cards.first().getByRole('button', { name: 'Block seller' })
      expect(await block.getAttribute('title')).toBe('The server cannot be reached.')
      expect(await cards.count()).toBe(count)

      trellis = await start()
      for (const { page } of [tail, studio, search]) await page.getByText(offline).waitFor({ state: 'detached' })
      await pushLines(trellis.origin, 'shop', ['a line after the server came back'])
      await tail.page.getByRole('grid', { name: 'Log lines' }).getByText('a line after the server came back').waitFor()
      await studio.page.getByLabel('Seconds', { exact: true }).fill('2')
      await studio.page.getByRole('spinbutton', { name: 'Takes' }).fill('1')
      await studio.page.getByRole('button', { name: 'Continue', exact: true }).click()
      await studio.page.getByRole('treeitem', { name: 'Take 1' }).getByText('undecided').waitFor()
      await cards.first().getByRole('button', { name: 'Block seller' }).click()
      await cards.first().getByRole('img', { name: 'Trust 0 of 100' }).waitFor()
      await search.page.reload()
      await search.page.getByText(/\d+ results/).waitFor()
      for (const { context } of [tail, studio, search]) await context.close()
    },
    startsTwice,
  )

  test.each([
    [
      500,
      { 'x-request-id': 'request-7' },
      '{"detail":"Something went wrong here."}',
      ['Something went wrong here.', 'Copy request id'],
    ],
    [429, { 'retry-after': '30' }, '{"detail":"Too many requests."}', ['Too many requests.', /Try again in \d+ s\./]],
    [503, {}, '', ['The server is not ready. Try again in a moment.']],
    [502, { 'content-type': 'text/html' }, '<h1>Bad gateway</h1>', ['The server is not ready. Try again in a moment.']],
  ] as const)(
    'an answer %d is a sentence in its part of the page, which is tried again',
    async (status, headers, body, texts) => {
      const { page, context } = await browser.open(trellis.origin)
      for (const [path, api] of [
        ['/listings/blocklist', '/listings/api/blocklist'],
        ['/music', '/music/api/chains'],
        ['/home', '/music/api/chains'],
        ['/logs/incidents', '/logs/api/incidents'],
      ] as const) {
        const restore = await answer(page, api, { status, headers, body })
        await page.goto(path)
        const alert = page.getByRole('alert').first()
        for (const text of texts) await alert.getByText(text).waitFor()
        await page.getByRole('heading', { level: 1 }).waitFor()
        await restore()
        await alert.getByRole('button', { name: 'Try again' }).click()
        await page.getByRole('alert').waitFor({ state: 'detached' })
      }
      await context.close()
    },
  )

  test('a search that is refused for now is asked again by itself, and one that is refused says why', async () => {
    const { page, context } = await browser.open(trellis.origin)
    const busy = { status: 503, headers: { 'retry-after': '1' }, body: '{"detail":"No worker is free."}' }
    await page.route(/\/listings\/api\/updates\//, (route) => route.fulfill(busy))
    await page.goto('/listings?q=canon+camera')
    await page.getByText(/No worker is free\. Trying again in \d+ s\./).waitFor()
    await page.unroute(/\/listings\/api\/updates\//)
    await page.getByText(/\d+ results/).waitFor()

    const refusal = { status: 502, body: '{"detail":"The marketplace asks for a pause of ten minutes."}' }
    const restore = await answer(page, '/listings/api/search/async', refusal)
    await page.goto('/listings?q=thinkpad')
    await page.getByText('The marketplace asks for a pause of ten minutes.').waitFor()
    await page.getByText('The marketplace refused the search.').waitFor()
    await restore()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText(/\d+ results/).waitFor()
    await context.close()
  })

  test('a session that cannot be opened is a sentence, and the page works once it can', async () => {
    const { page, context } = await browser.open(trellis.origin)
    const restore = await answer(page, '/listings/api/session', {
      status: 503,
      body: '{"detail":"The store is away."}',
    })
    await page.goto('/listings/saved')
    const alert = page.getByRole('alert').filter({ hasText: 'The store is away.' })
    await alert.waitFor()
    await restore()
    await alert.getByRole('button', { name: 'Try again' }).click()
    await alert.waitFor({ state: 'detached' })
    await context.close()
  })

  test('a page without a network says so, keeps what it shows, and goes on with the network', async () => {
    const { page, context } = await browser.open(trellis.origin)
    await fetch(`${trellis.origin}/listings/api/blocklist`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ platform_seller_id: 'blocked-before', username: 'blocked-before' }),
    })
    await page.goto('/listings/blocklist')
    await page.getByRole('table', { name: 'Blocked sellers' }).waitFor()
    await settled(page)
    await context.setOffline(true)
    await page.getByText(/changes are not possible\. Trying again in \d+ s\.$/).waitFor()
    await page.getByLabel('Id at the marketplace').fill('typed-offline')
    const block = page.getByRole('button', { name: 'Block seller' })
    expect(await block.getAttribute('aria-disabled')).toBe('true')
    expect(await block.getAttribute('title')).toBe('The server cannot be reached.')
    await context.setOffline(false)
    await page.getByText(offline).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Id at the marketplace').inputValue()).toBe('typed-offline')
    await block.click()
    await page.getByRole('table', { name: 'Blocked sellers' }).getByText('typed-offline').waitFor()
    await context.close()
  })

  test('lines that a page without a network has missed are fetched, and stand where they belong', async () => {
    await using proxy = await openSeverable(new URL(trellis.origin).host)
    const { page, context } = await browser.open(`http://${proxy.address}`)
    await page.goto('/logs?source=missed&live=1')
    await page.getByRole('status').filter({ hasText: 'Following' }).waitFor()
    const grid = page.getByRole('grid', { name: 'Log lines' })
    const start = Date.parse('2026-04-01T00:00:00Z')
    const textOf = (index: number) => `${new Date(start + index).toISOString()} INFO numbered ${index}`
    const push = async (from: number, to: number) => {
      for (let first = from; first < to; first += 2_000)
        await pushLines(
          trellis.origin,
          'missed',
          Array.from({ length: Math.min(2_000, to - first) }, (_, index) => textOf(first + index)),
        )
    }
    await push(0, 10)
    await grid.getByText('numbered 9').waitFor()
    proxy.cut()
    await page.getByText('Interrupted:').waitFor()
    await push(10, 30_000)
    proxy.mend()
    await grid.getByText('numbered 29999').waitFor()
    const counts = page.getByText(/^[\d,]+\/s · [\d,]+ lines · [\d,]+ missed$/)
    const figures = async () => (await counts.textContent())?.replaceAll(',', '').match(/\d+/g)?.map(Number) ?? []
    const [, shown = 0, missed = 0] = await figures()
    expect([shown + missed, missed > 10_000]).toEqual([30_000, true])

    await page.getByRole('button', { name: 'Fetch them' }).click()
    await page.getByText('30,000 lines · 0 missed').waitFor()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await grid.focus()
    for (const key of ['Home', 'x', 'Shift+End', 'c']) await page.keyboard.press(key)
    await page.getByText('30,000 lines copied').waitFor()
    const copied = String(await page.evaluate('navigator.clipboard.readText()')).split('\n')
    expect(copied).toEqual(Array.from({ length: 30_000 }, (_, index) => textOf(index)))
    await context.close()
  })

  test('lines and takes that arrive before the first event of a stream, while the page has no network, are not lost', async () => {
    await using proxy = await openSeverable(new URL(trellis.origin).host)
    const { page, context } = await browser.open(`http://${proxy.address}`)
    await page.goto('/logs?source=quiet&live=1')
    await page.getByRole('status').filter({ hasText: 'Following' }).waitFor()
    proxy.cut()
    await page.getByText('Interrupted:').waitFor()
    await pushLines(trellis.origin, 'quiet', logLines(900).split('\n'))
    proxy.mend()
    await page.getByText(/· 900 lines · 0 missed$/).waitFor()

    const { id, root } = await createPiece()
    const opened = page.waitForResponse(/\/events$/)
    await page.goto(`/music/chains/${id}`)
    await Promise.all([opened, settled(page)])
    proxy.cut()
    await page.getByText(offline).waitFor()
    const held = Promise.withResolvers<void>()
    await page.route(/\/events$/, async (route) => {
      await held.promise
      await route.continue()
    })
    const reloaded = page.waitForResponse((answer) => answer.url().endsWith(`/music/api/chains/${id}`))
    proxy.mend()
    await page.getByText(offline).waitFor({ state: 'detached' })
    await reloaded
    await settled(page)
    await showsTakeOf({ id, root }, page, held.resolve)
    await context.close()
  })

  browserTest('a take that arrives while a stream is lost before its first event is shown', async () => {
    const { page, context } = await browser.open(trellis.origin)
    const { id, root } = await createPiece()
    const held = Promise.withResolvers<void>()
    let requests = 0
    await page.route(/\/events$/, async (route) => {
      requests += 1
      if (requests === 1) return route.fulfill({ headers: { 'content-type': 'text/event-stream' }, body: '' })
      await held.promise
      await route.continue()
    })
    await page.goto(`/music/chains/${id}`)
    await settled(page)
    await expect.poll(() => requests).toBe(2)
    await showsTakeOf({ id, root }, page, held.resolve)
    await context.close()
  })
})
