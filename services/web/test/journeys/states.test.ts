import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { sample } from '@trellis/test/support/exploration'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { settled, violationsInThemes } from '../support/accessible.ts'
import { amend, answer, withhold } from '../support/answer.ts'
import { hasBrowser, skipped } from '../support/browser.ts'
import { browserTest } from '../support/browser-test.ts'
import { installationOfSuite } from '../support/installation.ts'
import { logLines, pushLines } from '../support/log-lines.ts'
import { changeSettings, createIncident } from '../support/log-requests.ts'
import { startWithPages } from '../support/served.ts'

const runFile = promisify(execFile)

const isAccessible = async (page: Page, what: string): Promise<void> =>
  expect(await violationsInThemes(page), what).toEqual([])

/** Opens a dialog, finds it accessible, and closes it. */
const checkDialog = async (page: Page, name: string, open: () => Promise<unknown>): Promise<void> => {
  await open()
  const dialog = page.getByRole('dialog', { name, exact: true })
  await dialog.waitFor()
  await isAccessible(page, name)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
}
const press = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name, exact: true }).first()

/** How long a removal can be undone. */
const undoMilliseconds = 5_000

type Node = { kind: string; status: string; progress: number; error: string | null }

describe.skipIf(!hasBrowser)(`pages in each of their states${skipped}`, () => {
  const installation = installationOfSuite({
    seed: (origin) => pushLines(origin, 'shop', logLines(40).split('\n')),
  })

  test('the home page tells how old the newest line is, where all are older than its numbers', async () => {
    const { page, problems } = await installation.openShared()
    await page.goto('/home')
    const card = page.getByRole('region', { name: 'Logs' })
    await card.getByText('All entries are older: the newest is of 2026-03-01.').waitFor()
    await pushLines(installation.origin, 'now', [`${new Date().toISOString()} INFO started`])
    await page.reload()
    await card.getByText('Last 24 h: 0 critical').waitFor()
    await settled(page)
    expect(await card.getByText('All entries are older').count()).toBe(0)
    await fetch(`${installation.origin}/logs/api/sources/now`, { method: 'DELETE' })
    expect(problems()).toEqual([])
  })

  test('the shell is accessible with its dialogs, its menu, toasts, and without a network', async () => {
    const { page, context, problems } = await installation.openShared()
    await page.goto('/logs')
    await settled(page)
    await checkDialog(page, 'Search or run a command', () => page.keyboard.press('Control+k'))
    await checkDialog(page, 'Keys', () => page.keyboard.press('?'))
    const menu = page.getByRole('button', { name: 'Appearance and keys' })
    await menu.click()
    await page.getByRole('menu').waitFor()
    await isAccessible(page, 'menu')
    const enterKey = page.getByRole('menuitem', { name: 'Enter the key of the log service' })
    await checkDialog(page, 'Key of the log service', () => enterKey.click())
    await page.keyboard.press('Alt+t')
    await page.locator('.toast').waitFor()
    await isAccessible(page, 'toast')
    await context.setOffline(true)
    await page.getByText('The server cannot be reached.').first().waitFor()
    await isAccessible(page, 'offline')
    expect(problems()).toEqual([])
  })

  const paths = [
    '/home',
    '/listings?q=camera',
    '/listings/alerts',
    '/listings/settings',
    '/music',
    '/music/capacity',
    '/logs',
    '/logs/overview',
    '/logs/incidents',
    '/logs/sources',
    '/logs/detections',
    '/logs/settings',
  ]
  /** Some of the pages in a run, as each takes seconds. */
  const drawnPaths = (purpose: string) => sample(paths, 4, purpose)
  test.each([502, 503])('pages of a service that answers %d are accessible', async (status) => {
    const { page } = await installation.openShared()
    await answer(page, /^\/(listings|logs|music)\/api\//, { status })
    for (const path of drawnPaths(`paths ${status}`)) {
      await page.goto(path)
      await page.getByRole('alert').first().waitFor()
      await isAccessible(page, `${path} ${status}`)
    }
  })

  test('pages that wait for their data are accessible', async () => {
    const { page } = await installation.openShared()
    await withhold(page, /^\/(listings|logs|music)\/api\//)
    for (const path of drawnPaths('paths withheld')) {
      await page.goto(path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await isAccessible(page, path)
    }
  })

  test('pages of listings show that they load while the session opens', async () => {
    const { page } = await installation.openShared()
    const release = await withhold(page, '/listings/api/session')
    for (const path of ['/listings?q=camera', '/listings/saved', '/listings/alerts', '/listings/blocklist']) {
      await page.goto(path)
      await page.getByRole('main').getByRole('status', { name: 'Loading' }).waitFor()
    }
    release()
    await settled(page)
  })

  test.each([1280, 360])(
    'Search stays in its place while a search runs, %d pixels wide, so that a second click does not cancel it',
    async (width) => {
      const { page, context } = await installation.open({ viewport: { width, height: 740 } })
      const release = await withhold(page, '/listings/api/search/async')
      await page.goto('/listings')
      const box = page.getByRole('searchbox', { name: 'Search listings' })
      await box.fill('camera')
      const search = press(page, 'Search')
      const place = await search.boundingBox()
      await search.click()
      await press(page, 'Cancel').waitFor()
      expect(await search.boundingBox()).toEqual(place)
      expect((await box.boundingBox())?.width).toBeGreaterThan(300)
      release()
      await settled(page)
      await context.close()
    },
  )

  test('the number of alerts is apart from its word, and moves no other entry', async () => {
    const { page } = await installation.openShared()
    let unread = 0
    await amend<{ unread_count: number }>(page, '/listings/api/alerts', (body) => {
      body.unread_count = unread
    })
    const entries = page.getByRole('navigation', { name: 'Listings pages' }).getByRole('link')
    const places = async () => Promise.all((await entries.all()).map((entry) => entry.boundingBox()))
    const gap = `(() => {
      const number = document.querySelector('nav .unread')
      const word = document.createRange()
      word.selectNodeContents(number.closest('a').firstChild)
      return number.getBoundingClientRect().left - word.getBoundingClientRect().right
    })()`
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 740 })
      unread = 0
      await page.goto('/listings/saved')
      await settled(page)
      const before = await places()
      for (const [count, text] of [
        [7, '7'],
        [123, '99+'],
      ] as const) {
        unread = count
        await page.reload()
        await page.getByRole('link', { name: `Alerts ${text} to look at` }).waitFor()
        expect([width, count, await places()]).toEqual([width, count, before])
        expect(await page.evaluate(gap), `${width} ${count}`).toBeGreaterThanOrEqual(5)
      }
    }
  })

  test('settings of alerts that are not loaded are reported and cannot be overwritten', async () => {
    const { page } = await installation.openShared()
    const restore = await answer(page, '/listings/api/alert-settings', { status: 503 })
    await page.goto('/listings/alerts')
    const alert = page.getByRole('alert').filter({ hasText: 'Where alerts are sent could not be loaded.' })
    await alert.waitFor()
    expect(await page.getByRole('button', { name: 'Save delivery' }).count()).toBe(0)
    await isAccessible(page, 'alerts without their settings')
    await restore()
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('button', { name: 'Save delivery' }).waitFor()
    expect(await alert.count()).toBe(0)
  })

  test('an export that fails is reported once in its dialog, and no longer when that is closed', async () => {
    const { page } = await installation.openShared()
    const id = await createIncident(installation.origin, 'Sent nowhere')
    // A tracker that does not answer.
    await changeSettings(installation.origin, {
      notion_url: 'http://127.0.0.1:1',
      notion_token: 'of-this-test',
      notion_database_id: 'd',
    })
    await page.goto(`/logs/incidents/${id}`)
    await press(page, 'Export').click()
    await page.getByRole('dialog', { name: 'Export incident' }).getByRole('button', { name: 'Notion ticket' }).click()
    const failure = page.getByRole('alert').filter({ hasText: 'Notion' })
    await failure.waitFor()
    expect(await failure.count()).toBe(1)
    await page.keyboard.press('Escape')
    await failure.waitFor({ state: 'detached' })
    await changeSettings(installation.origin, { notion_token: '', notion_database_id: '' })
  })

  test('exports that are not configured name what is missing before they are pressed', async () => {
    const { page, problems } = await installation.openShared()
    const id = await createIncident(installation.origin, 'Exported nowhere')
    const requested: string[] = []
    page.on('request', (request) => request.method() === 'POST' && requested.push(new URL(request.url()).pathname))
    await page.goto(`/logs/incidents/${id}`)
    await press(page, 'Export').click()
    const dialog = page.getByRole('dialog', { name: 'Export incident' })
    const reasons = [
      ['Send bundle', 'No receiver of bundles is configured: set SERVICE_BUNDLE_ENDPOINT.'],
      ['Notion ticket', 'Notion is not configured: set Notion token, Database id in the settings.'],
      ['Jira ticket', 'Jira is not configured: set Jira address, Jira token, Project in the settings.'],
    ] as const
    for (const [name, reason] of reasons) {
      const button = dialog.getByRole('button', { name, disabled: true })
      await button.waitFor()
      await expect.poll(() => button.getAttribute('title')).toBe(reason)
      await dialog.getByRole('listitem').filter({ hasText: name }).getByText(reason).waitFor()
      // A press announces it, in the dialog: what is outside a modal dialog is covered, and silent to screen readers.
      await button.click({ force: true })
      await dialog.getByRole('status').getByText(reason).waitFor()
    }
    await dialog.getByRole('button', { name: 'Download bundle', disabled: false }).waitFor()
    await isAccessible(page, 'exports that are not configured')
    expect(requested.filter((path) => path.includes(id))).toEqual([])

    await changeSettings(installation.origin, { notion_token: 't', notion_database_id: 'd' })
    await dialog.getByRole('link', { name: 'Settings' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Settings of logs' }).waitFor()
    await page.goBack()
    await press(page, 'Export').click()
    await dialog.getByRole('button', { name: 'Notion ticket', disabled: false }).waitFor()
    await changeSettings(installation.origin, { notion_token: '', notion_database_id: '' })
    expect(problems()).toEqual([])
  })

  test('a search that replaces one under way shows that it is read, and no result of the other', async () => {
    const { page, context, problems } = await installation.open()
    const found = await (await context.request.get('/listings/api/search?q=canon+camera')).text()
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
    let first: string | undefined
    await page.route(/\/listings\/api\/updates\//, async (route) => {
      const request = route.request()
      first ??= request.url()
      if (request.method() === 'DELETE') await isReleased
      // The first search never ends, so that the second one has to end it.
      const headers = { 'content-type': 'text/event-stream' }
      if (request.method() === 'GET' && request.url() === first)
        await route.fulfill({ headers, body: `event: listings\ndata: ${found}\n\n` })
      else await route.continue()
    })
    await page.goto('/listings?q=canon+camera')
    const results = page.getByRole('list', { name: 'Listings' }).getByRole('listitem')
    await results.first().waitFor()
    const main = page.getByRole('main')
    const ending = page.waitForRequest((request) => request.method() === 'DELETE')
    await main.getByRole('searchbox', { name: 'Search listings' }).fill('thinkpad')
    await main.getByRole('button', { name: 'Search', exact: true }).click()
    await ending
    await main.getByRole('status', { name: 'Loading' }).waitFor()
    expect(await main.getByText(/\d+ results/).count()).toBe(0)
    release()
    await results
      .filter({ hasText: /thinkpad/i })
      .first()
      .waitFor()
    expect(problems()).toEqual([])
    await context.close()
  })

  test('candidates of the blocklist beyond the first are shown on demand', async () => {
    const { page } = await installation.openShared()
    const candidate = (index: number) => ({
      id: String(index),
      domain: `tracker${index}.example.org`,
      status: 'candidate',
      score: 35,
      count: 3,
      last_seen: '2026-03-01T09:00:00Z',
      reasons: [],
      devices: [],
      device: null,
      source_ids: [],
      last_error: null,
    })
    await page.route('**/blocklist/candidates?*', (route) => {
      const limit = Number(new URL(route.request().url()).searchParams.get('limit'))
      const candidates = Array.from({ length: Math.min(limit, 260) }, (_, index) => candidate(index))
      return route.fulfill({ json: { candidates, total: 260 } })
    })
    await page.goto('/logs/blocklist')
    await page.getByText('200 of 260 shown').waitFor()
    await press(page, 'Show more').click()
    await page.getByText('tracker259.example.org').waitFor()
    expect(await press(page, 'Show more').count()).toBe(0)
  })

  test('a DNS filter that is not configured leads to its settings', async () => {
    const { page, problems } = await installation.openShared()
    await page.goto('/logs/blocklist')
    await press(page, 'Test filter').click()
    await page.getByRole('alert').getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { level: 1, name: 'Settings of logs' }).waitFor()
    expect(problems()).toEqual([])
  })

  test('exports wait until it is known whether they are configured', async () => {
    const { page } = await installation.openShared()
    const id = await createIncident(installation.origin, 'Exported early')
    const requested: string[] = []
    page.on('request', (request) => request.method() === 'POST' && requested.push(new URL(request.url()).pathname))
    const loadReceiver = await withhold(page, '/logs/api/sent-bundles')
    const loadSettings = await withhold(page, '/logs/api/settings')
    await page.goto(`/logs/incidents/${id}`)
    await press(page, 'Export').click()
    const dialog = page.getByRole('dialog', { name: 'Export incident' })
    for (const name of ['Send bundle', 'Notion ticket', 'Jira ticket']) {
      const button = dialog.getByRole('button', { name, disabled: true })
      await button.click({ force: true })
      expect(await button.getAttribute('title')).toBe('What this needs is still being loaded.')
    }
    await dialog.getByRole('status').getByText('What this needs is still being loaded.').waitFor()
    loadReceiver()
    loadSettings()
    const send = dialog.getByRole('button', { name: 'Send bundle', disabled: true })
    await expect.poll(() => send.getAttribute('title')).toContain('No receiver of bundles is configured')
    await send.click({ force: true })
    await dialog.getByRole('status').getByText('No receiver of bundles is configured').waitFor()
    expect(requested.filter((path) => path.includes(id))).toEqual([])
  })

  test('a row that another tab has removed leaves the list without an error', async () => {
    const { page, context } = await installation.open()
    const post = (path: string, data: object) => context.request.post(path, { data })
    const added = await post('/logs/api/context/facts', { category: 'host', key: 'db-7', value: 'the database' })
    const { id } = (await added.json()) as { id: string }
    await page.clock.install()
    await page.goto('/logs/context?tab=facts')
    const row = page.getByRole('table', { name: 'Facts' }).getByText('db-7')
    await row.waitFor()
    await context.request.delete(`/logs/api/context/facts/${id}`)
    const answered = page.waitForResponse((response) => response.url().endsWith(`/logs/api/context/facts/${id}`))
    const reloaded = page.waitForResponse((response) => response.url().endsWith('/logs/api/context/facts'))
    await page.getByRole('button', { name: 'Delete db-7' }).click()
    await page.clock.fastForward(undoMilliseconds)
    expect((await answered).status()).toBe(404)
    await reloaded
    await page.getByText('No facts yet').waitFor()
    await page.clock.fastForward(1_000)
    await expect.poll(() => page.locator('.toast').count()).toBe(0)
    expect(await row.count()).toBe(0)

    const search = { name: 'Deleted elsewhere', query: 'camera', filters_json: '{}' }
    const saved = (await (await post('/listings/api/saved-searches', search)).json()) as { id: number }
    await page.goto('/listings/saved')
    await page.getByText('Deleted elsewhere').waitFor()
    await context.request.delete(`/listings/api/saved-searches/${saved.id}`)
    await press(page, 'Run').click()
    await page.getByText('“Deleted elsewhere” was deleted meanwhile').waitFor()
    await page.getByText('No search is saved.').waitFor()

    const incident = await createIncident(installation.origin, 'Deleted elsewhere')
    await page.goto(`/logs/incidents/${incident}`)
    await press(page, 'Resolve').waitFor()
    await context.request.delete(`/logs/api/incidents/${incident}`)
    await press(page, 'Resolve').click()
    await page.getByText('There is no such incident.').waitFor()
    expect(await press(page, 'Edit').count()).toBe(0)
    await context.close()
  })

  test('the dialogs of logs are accessible', async () => {
    const { page, problems } = await installation.openShared()
    await page.goto('/logs/incidents')
    await checkDialog(page, 'New incident', () => press(page, 'New incident').click())
    await page.goto('/logs/ssh-targets')
    await checkDialog(page, 'New target', () => press(page, 'New target').click())
    await page.goto('/logs/context')
    await checkDialog(page, 'Write a document', () => press(page, 'Write a document').click())
    await press(page, 'Write a document').click()
    const text = page.getByRole('dialog').getByLabel('Text')
    const { x = 0, y = 0 } = (await text.boundingBox()) ?? {}
    // Selected with the mouse, and released beside the dialog; then a click there.
    await text.hover()
    await page.mouse.down()
    await page.mouse.move(x - 100, y)
    await page.mouse.up()
    await text.fill('Restart the shop after the database')
    await page.mouse.click(x - 100, y)
    expect(await text.inputValue()).toBe('Restart the shop after the database')
    await text.fill('')
    await page.goto('/logs/sources')
    await checkDialog(page, 'Delete a source', () => press(page, 'Delete shop').click())
    const id = await createIncident(installation.origin, 'Checkout fails')
    await page.goto(`/logs/incidents/${id}`)
    await checkDialog(page, 'Edit incident', () => press(page, 'Edit').click())
    await checkDialog(page, 'Export incident', () => press(page, 'Export').click())
    await checkDialog(page, 'Delete incident', () => press(page, 'Delete').click())
    expect(problems()).toEqual([])
  })

  test('a search of logs is accessible without its histogram and facets, and a diagnosis that fails', async () => {
    const { page } = await installation.openShared()
    await amend<{ histogram: unknown; facets: unknown; semantic_fallback: string }>(
      page,
      '/logs/api/search',
      (found) => {
        found.histogram = null
        found.facets = null
        found.semantic_fallback = 'The model for meaning is not there: words were searched.'
      },
    )
    await page.goto('/logs?semantic=1')
    await page.getByText('words were searched').waitFor()
    await settled(page)
    await isAccessible(page, 'degraded')
    await page.goto('/logs/diagnose')
    await answer(page, '/logs/api/diagnose/stream', {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: 'event: failed\ndata: {"detail":"The model gave up."}\n\nevent: done\ndata: {"took_ms":4}\n\n',
    })
    await page.getByLabel('What went wrong?').fill('refused')
    await press(page, 'Diagnose').click()
    await page.getByText('The model gave up.').waitFor()
    await isAccessible(page, 'failed diagnosis')
  })

  test('a studio is accessible with its dialogs, with takes that are made and takes that failed', async () => {
    const { page, problems } = await installation.openShared()
    await page.goto('/music')
    await press(page, 'Take the example tune').click()
    await page.getByRole('form', { name: 'Continue' }).waitFor()
    await settled(page)
    await checkDialog(page, 'Rename the piece', () => press(page, 'Rename').click())
    await checkDialog(page, 'Export the spine', () => press(page, 'Export').click())
    await page.getByLabel('Seconds', { exact: true }).fill('1')
    await page.getByRole('spinbutton', { name: 'Takes' }).fill('2')
    await press(page, 'Continue').click()
    await page.getByRole('treeitem', { name: 'Take 2' }).getByText('undecided').waitFor()
    const path = new URL(page.url()).pathname.replace('/music/', '/music/api/')
    await amend<{ nodes: Node[] }>(page, path, ({ nodes }) => {
      const [first, second] = nodes.filter(({ kind }) => kind === 'continuation')
      if (first) Object.assign(first, { status: 'error', error: 'The path is silent.' })
      if (second) Object.assign(second, { status: 'generating', progress: 0.4 })
    })
    await page.reload()
    await page.getByText('The path is silent.').waitFor()
    await page.getByText('40 %').first().waitFor()
    await isAccessible(page, 'failed and generating takes')
    await page.getByRole('treeitem', { name: 'Take 1' }).click()
    const go = page.getByRole('form', { name: 'Continue' }).getByRole('button', { name: 'Continue' })
    expect(await go.getAttribute('title')).toBe('Select a take that is ready.')
    await page.goto('/music')
    await checkDialog(page, 'Delete this piece?', () => press(page, 'Delete Example tune').click())
    await page.goto('/music/capacity')
    await press(page, 'Reserve a slot').click()
    await page.getByText('A slot is yours until').waitFor()
    await isAccessible(page, 'reserved slot')
    await press(page, 'Release the slot').click()
    await press(page, 'Reserve a slot').waitFor()
    expect(problems()).toEqual([])
  })

  test('listings are accessible with feedback, delivery, corrections, and a marketplace that is not set up', async () => {
    const { page, problems } = await installation.openShared()
    await answer(page, '/listings/api/feedback/status', { status: 200, body: '{"enabled":true}' })
    await answer(page, '/listings/api/feedback', {
      status: 201,
      body: '{"issue_number":7,"issue_url":"https://tracker.test/7"}',
    })
    await page.goto('/listings/settings')
    await page.getByText('Connection to the marketplace').click()
    await page.getByText(/^Not set up: /).waitFor()
    await page.getByText('Corrections', { exact: true }).click()
    await page.getByText('There are no corrections yet.').waitFor()
    await isAccessible(page, 'settings')
    await page.getByRole('button', { name: 'Appearance and keys' }).click()
    await page.getByRole('menuitem', { name: 'Send feedback' }).click()
    const dialog = page.getByRole('dialog', { name: 'Send feedback' })
    await dialog.getByLabel('Title').fill('A score is missing')
    await dialog.getByLabel('Description').fill('The first listing has none.')
    await isAccessible(page, 'feedback')
    const sent = page.waitForRequest((request) => new URL(request.url()).pathname === '/listings/api/feedback')
    await dialog.getByRole('button', { name: 'Send', exact: true }).click()
    expect((await sent).postDataJSON()).toMatchObject({ type: 'bug', view: '/listings/settings' })
    await dialog.getByText('Thank you. It is issue').waitFor()
    await isAccessible(page, 'sent feedback')
    await page.keyboard.press('Escape')
    const settings = {
      quiet_hours: { start: '22:00', end: '07:00', time_zone: 'Europe/Vienna' },
      webhook: { url: 'https://hooks.test/a', secret: '***', delivered_at: null, last_error: 'It answered with 500.' },
      email: { address: 'a@b.test', confirmed: false, delivered_at: null, last_error: null },
      email_available: true,
      feed_enabled: true,
    }
    await answer(page, '/listings/api/alert-settings', { status: 200, body: JSON.stringify(settings) })
    await page.goto('/listings/alerts')
    await page.getByLabel('Code from the mail to a@b.test').waitFor()
    await page.getByText('The last attempt failed: It answered with 500.').waitFor()
    await isAccessible(page, 'delivery')
    expect(problems()).toEqual([])
  })

  test('a server without an admin key is explained, and nothing is requested', async () => {
    const { page, problems } = await installation.openShared()
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    await page.goto('/logs/branches')
    await page.getByText('Branches are switched off here.').waitFor()
    await page.getByText('SERVICE_ORCHARD_ADMIN_KEY').waitFor()
    await settled(page)
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await violationsInThemes(page)).toEqual([])
    expect(requested.filter((url) => url.includes('/orchard/'))).toEqual([])
    expect(problems()).toEqual([])
  })
})

describe.skipIf(!hasBrowser)(`pages with an admin key and a receiver of bundles${skipped}`, () => {
  const key = 'of-this-test'
  const receiver = 'https://support.test/bundles'
  const installation = installationOfSuite({
    start: () => startWithPages({ SERVICE_ORCHARD_ADMIN_KEY: key, SERVICE_BUNDLE_ENDPOINT: `${receiver}?customer=7` }),
  })

  test('empty pages lead to the first lines and the first alert', async () => {
    const { page, problems } = await installation.openShared()
    const main = page.getByRole('main')
    const release = await withhold(page, '/logs/api/sources')
    await page.goto('/logs')
    await main.getByText('0 found in').waitFor()
    await main.getByRole('status', { name: 'Searching' }).waitFor()
    expect(await main.getByText('Nothing was found.').count()).toBe(0)
    release()
    await main.getByText('Nothing has been read yet.').waitFor()
    await main.getByRole('link', { name: 'Upload files' }).waitFor()
    await page.goto('/logs/diagnose')
    await main.getByText('Nothing has been read yet, so a diagnosis would find nothing.').waitFor()
    await isAccessible(page, 'a diagnosis without logs')
    await main.getByRole('link', { name: 'Upload log files' }).click()
    const collect = main.getByRole('button', { name: 'Collect all now', disabled: true })
    await collect.waitFor()
    expect(await collect.getAttribute('title')).toBe('No sources are configured.')
    await page.goto('/listings/alerts')
    await main.getByRole('link', { name: 'Search listings' }).click()
    await page.getByRole('heading', { level: 1, name: 'Search listings' }).waitFor()
    expect(problems()).toEqual([])
  })

  test('the receiver of bundles is named before one is sent', async () => {
    const { page, problems } = await installation.openShared()
    await page.goto(`/logs/incidents/${await createIncident(installation.origin, 'Sent somewhere')}`)
    await press(page, 'Export').click()
    const dialog = page.getByRole('dialog', { name: 'Export incident' })
    await dialog.getByText(`To ${receiver}`, { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Send bundle', disabled: false }).waitFor()
    await page.goto('/logs/bundles?tab=sent')
    await page.getByText(`Bundles are sent to ${receiver}.`).waitFor()

    // One that waits for its receiver is followed.
    const statuses = ['sent', 'queued']
    await amend<{ sent_bundles: object[] }>(page, '/logs/api/sent-bundles', (body) => {
      const status = statuses.pop() ?? 'sent'
      const bundle = { id: 'b', incident_id: 'i', destination: receiver, sanitized: true, last_error: null }
      body.sent_bundles = [{ ...bundle, status, created_at: '2026-03-01T09:00:00Z', sent_at: null }]
    })
    await page.reload()
    await page.getByText('queued', { exact: true }).waitFor()
    await page.getByText('sent', { exact: true }).waitFor()
    expect(problems()).toEqual([])
  })

  browserTest(
    'a refused bundle is an event of its incident, and a queued one shows its error and its next attempt',
    async () => {
      const { page, problems } = await installation.openShared()
      const id = await createIncident(installation.origin, 'Sent in vain')
      await page.goto(`/logs/incidents/${id}`)
      await press(page, 'Export').click()
      const dialog = page.getByRole('dialog', { name: 'Export incident' })
      const restore = await answer(page, `/logs/api/incidents/${id}/send`, {
        status: 502,
        body: '{"detail":"The receiver of bundles refused it: 401 The key is missing."}',
      })
      const read = page.waitForResponse(
        (response) => response.request().method() === 'GET' && response.url().endsWith(`/incidents/${id}`),
      )
      await dialog.getByRole('button', { name: 'Send bundle' }).click()
      await dialog.getByRole('alert').filter({ hasText: '401 The key is missing.' }).waitFor()
      await read
      await restore()
      const row = { status: 'queued', attempts: 2, next_attempt_at: '2026-03-01T09:05:00Z', last_error: '503 busy' }
      const bundle = { id: 'b', incident_id: id, destination: receiver, sanitized: true, sent_at: null, ...row }
      await answer(page, `/logs/api/incidents/${id}/send`, { status: 202, body: JSON.stringify(bundle) })
      await dialog.getByRole('button', { name: 'Send bundle' }).click()
      await page.getByText('The bundle is queued and will be sent again: 503 busy').waitFor()
      await amend<{ sent_bundles: object[] }>(page, '/logs/api/sent-bundles', (body) => {
        body.sent_bundles = [{ ...bundle, created_at: '2026-03-01T09:00:00Z' }]
      })
      await page.goto('/logs/bundles?tab=sent')
      await page.getByText('Tried 2 times, next at 09:05:00').waitFor()
      await settled(page)
      expect(await violationsInThemes(page)).toEqual([])
      expect(problems()).toEqual([])
    },
  )

  test('a reader without the admin key gets a calm note and its dialog, and a wrong key is refused', async () => {
    const { page } = await installation.openShared()
    await page.goto('/logs/branches')
    await page.getByText('Managing branches needs the admin key.').waitFor()
    expect([await page.getByRole('dialog').count(), await page.getByRole('alert').count()]).toEqual([0, 0])
    expect(await violationsInThemes(page)).toEqual([])
    await page.getByRole('button', { name: 'Enter the admin key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Admin key of the log service' })
    const enter = async (value: string) => {
      await dialog.getByLabel('Key', { exact: true }).fill(value)
      await dialog.getByRole('button', { name: 'Use this key' }).click()
    }
    await enter('another')
    await dialog
      .getByText(/key/i)
      .filter({ hasText: /wrong|invalid|not/i })
      .first()
      .waitFor()
    await enter(key)
    await page.getByText('No branches yet.').waitFor()
    await page.getByRole('button', { name: 'New branch' }).first().waitFor()
  })

  test('a branch is grafted, takes a line by the command that is shown, is anonymized, stopped and started', async () => {
    const { page, problems } = await installation.openShared()
    await page.goto('/logs/branches')
    await page.getByRole('button', { name: 'Enter the admin key' }).click()
    const keyDialog = page.getByRole('dialog', { name: 'Admin key of the log service' })
    await keyDialog.getByLabel('Key', { exact: true }).fill(key)
    await keyDialog.getByRole('button', { name: 'Use this key' }).click()
    await page.getByRole('button', { name: 'New branch' }).first().click()
    const form = page.getByRole('dialog', { name: 'New branch' })
    await form.getByLabel('Label').fill('Workshop')
    expect(await violationsInThemes(page)).toEqual([])
    await form.getByRole('button', { name: 'Create branch' }).click()
    const created = page.getByRole('dialog', { name: 'Branch created' })
    await created.waitFor()
    expect(await violationsInThemes(page)).toEqual([])
    const command = (await created.locator('pre').textContent()) ?? ''
    expect(command).toContain(await created.getByLabel('Key', { exact: true }).inputValue())
    const send = async (text: string): Promise<unknown> => {
      const { stdout } = await runFile('/bin/sh', ['-c', command.replace('hello from another machine', text)])
      return JSON.parse(stdout)
    }
    expect(await send('login of user=anna from 203.0.113.9')).toMatchObject({ accepted: 1 })
    await created.getByRole('button', { name: 'Close' }).click()
    const row = page.getByRole('row', { name: /workshop/ })
    // The page learns of the line by itself.
    await row.getByRole('cell', { name: '1', exact: true }).waitFor()

    await row.getByRole('button', { name: 'Anonymize' }).click()
    const confirm = page.getByRole('dialog', { name: 'Anonymize branch' })
    await confirm.getByRole('textbox').fill('workshop')
    await confirm.getByRole('button', { name: 'Anonymize branch' }).click()
    await page.getByText('1 entry changed: 1 address, 1 user name').waitFor()

    await row.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('dialog', { name: 'Stop branch' }).getByRole('button', { name: 'Stop branch' }).click()
    await row.getByText('inactive').waitFor()
    expect(await send('late')).toMatchObject({ detail: expect.stringContaining('is not active') })
    await page.getByRole('link', { name: 'workshop' }).click()
    await page.getByText('The branch workshop was not searched: it is stopped, or does not answer.').waitFor()
    expect(await violationsInThemes(page)).toEqual([])
    await page.getByRole('main').getByRole('link', { name: 'Branches' }).click()
    await row.getByRole('button', { name: 'Start' }).click()
    await row.getByText('active', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'workshop' }).click()
    await page.getByRole('grid', { name: 'Log lines' }).getByText('login of').waitFor()
    expect(await page.getByRole('grid', { name: 'Log lines' }).textContent()).not.toContain('203.0.113.9')

    const orchard = async (method: string, path: string) => {
      const address = `${installation.origin}/logs/api/orchard/branches/${path}`
      expect((await fetch(address, { method, headers: { 'x-admin-key': key } })).ok).toBe(true)
    }
    await page.getByRole('button', { name: 'Live', exact: true }).click()
    const state = page.getByRole('status').filter({ hasText: '●' })
    await state.filter({ hasText: 'Following' }).waitFor()
    await orchard('DELETE', 'workshop')
    await state.filter({ hasText: 'Waiting for the branch workshop: it is stopped, or does not answer' }).waitFor()
    expect(await violationsInThemes(page)).toEqual([])
    await orchard('POST', 'workshop/activate')
    await state.filter({ hasText: 'Following' }).waitFor()
    expect(await send('followed again')).toMatchObject({ accepted: 1 })
    await page.getByRole('grid', { name: 'Log lines' }).getByText('followed again').waitFor()
    expect(problems()).toEqual([])
  })
})
