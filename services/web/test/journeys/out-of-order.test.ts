import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { settled } from '../support/accessible.ts'
import { amend, answer, answerLate, withhold } from '../support/answer.ts'
import { hasBrowser, skipped } from '../support/browser.ts'
import { browserTest } from '../support/browser-test.ts'
import { installationOfSuite } from '../support/installation.ts'
import { pushLines } from '../support/log-lines.ts'
import { createIncident } from '../support/log-requests.ts'

/** Clicks twice at the place that a control has before, the second time when what the first has done is there. */
const clickTwice = async (page: Page, control: Locator, afterFirst: () => Promise<unknown>): Promise<void> => {
  const box = await control.boundingBox()
  if (box === null) throw new Error('The control is not seen.')
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
  await afterFirst()
  await page.mouse.down({ clickCount: 2 })
  await page.mouse.up({ clickCount: 2 })
}

describe.skipIf(!hasBrowser)(`clicks and answers out of order${skipped}`, () => {
  const names = ['First', 'Second', 'Third']
  const installation = installationOfSuite({
    seed: async (origin) => {
      const headers = { 'content-type': 'application/json' }
      for (const name of names)
        await fetch(`${origin}/listings/api/saved-searches`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ name, query: name, filters_json: '{}' }),
        })
    },
  })

  test('a row that takes the place of a removed one ignores the second click', async () => {
    const { page } = await installation.openShared()
    await page.goto('/listings/saved')
    await settled(page)
    const rows = page.getByRole('list', { name: 'Saved searches' }).getByRole('listitem')
    expect(await rows.count()).toBe(names.length)
    const remove = rows.first().getByRole('button', { name: /^Delete/ })
    await clickTwice(page, remove, () => expect.poll(() => rows.count()).toBe(names.length - 1))
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => rows.count()).toBe(names.length)
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  })

  test('a button that moves below the pointer ignores the second click', async () => {
    const { page } = await installation.openShared()
    await page.goto('/logs?live=1')
    await settled(page)
    const exports = page.getByRole('main').getByRole('button', { name: 'Export', exact: true })
    await clickTwice(page, page.getByRole('button', { name: 'Live', exact: true }), () => exports.waitFor())
    // The heading of another page would have replaced it.
    await page.getByRole('button', { name: 'Save as incident' }).click()
    await page.getByRole('dialog', { name: 'New incident' }).waitFor()
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/logs')
  })

  test('a change is sent once, even if it is answered before the second click', async () => {
    const { page } = await installation.openShared()
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname))
    await page.goto('/logs/detections')
    await settled(page)
    const score = page.getByRole('button', { name: 'Score now' })
    const answered = () => page.waitForResponse((response) => response.url().endsWith('/logs/api/anomaly/run'))
    const isIdle = () => expect.poll(() => score.getAttribute('aria-busy')).toBe(null)
    const first = answered()
    await clickTwice(page, score, () => first.then(isIdle))
    await isIdle()
    // What a key presses is no double click.
    const second = answered()
    await score.focus()
    await page.keyboard.press('Enter')
    await second
    await isIdle()
    expect(sent.filter((path) => path === '/logs/api/anomaly/run').length).toBe(2)

    // What was scored is shown as it is then, although the other scorer was chosen meanwhile.
    const release = await withhold(page, '/logs/api/anomaly/run')
    await score.click()
    await page.getByRole('tab', { name: 'Security' }).click()
    await page.waitForURL(/scorer=cybersec/)
    const refreshed = page.waitForRequest((request) => request.url().endsWith('/logs/api/anomaly/status'))
    release()
    await refreshed
  })
  test('a key that is held changes something once, on a button, in a form and as a shortcut', async () => {
    const { page } = await installation.openShared()
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname))
    const added = '/logs/api/context/facts'
    await answer(page, '/listings/api/reported', { status: 200, body: '{"reported":[]}' })
    const listing = { platform_listing_id: 'x', title: 'Lens', seller_platform_id: 'ann', photo_urls: [], url: '' }
    const body = JSON.stringify({ listing, trust_score: null, seller: null, price_history: [], sightings: [] })
    await answer(page, '/listings/api/listings/x', { status: 200, body })
    /** Holds a key until what it has started is answered, and longer. */
    const hold = async (key: string, path: string): Promise<void> => {
      const answered = page.waitForResponse((response) => new URL(response.url()).pathname === path)
      await page.keyboard.down(key)
      await (await answered).finished()
      await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
      for (let repeats = 0; repeats < 3; repeats += 1) await page.keyboard.down(key)
      await page.keyboard.up(key)
    }
    await page.goto('/logs/overview')
    await settled(page)
    await page.getByRole('button', { name: 'Read sources file again' }).focus()
    await hold('Enter', '/logs/api/watch/reload')
    await page.goto('/logs/context?tab=facts')
    for (const name of ['Category', 'Key', 'Value']) await page.getByRole('textbox', { name }).fill('held')
    // What was typed would be sent again.
    await answer(page, added, { status: 503, body: '{"detail":"Busy."}' })
    await hold('Enter', added)
    await page.goto('/listings/item/x')
    await page.getByRole('button', { name: 'Report' }).waitFor()
    await hold('r', '/listings/api/reported')
    expect(sent.filter((path) => path !== '/logs/api/session')).toEqual([
      '/logs/api/watch/reload',
      added,
      '/listings/api/reported',
    ])
  })

  const main = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name, exact: true })
  const isSent = (page: Page, method: string, path: string) =>
    page.waitForRequest((request) => request.method() === method && new URL(request.url()).pathname === path)

  test('a page of a list that another one has replaced is not shown in it, nor when the user comes back', async () => {
    const { page } = await installation.openShared()
    const incident = (severity: string, id: string) => ({
      ...{ id, label: id, severity, status: 'open', issue_type: null, query: null, notes: '' },
      ...{ started_at: '2026-03-01T09:00:00Z', ended_at: null, automatic: false, error_count: 0 },
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    await page.route('**/logs/api/incidents?*', async (route) => {
      const { searchParams } = new URL(route.request().url())
      const severity = searchParams.get('severity') ?? ''
      if (!searchParams.has('cursor'))
        return route.fulfill({ json: { incidents: [incident(severity, `${severity} 1`)], next_cursor: 'second' } })
      await promise
      return route.fulfill({ json: { incidents: [incident(severity, `${severity} 2`)], next_cursor: null } })
    })
    await page.goto('/logs/incidents?severity=ERROR')
    const labels = () => page.getByRole('table', { name: 'Incidents' }).getByRole('link').allTextContents()
    await expect.poll(labels).toEqual(['ERROR 1'])
    await main(page, 'Show more').click()
    const severity = page.getByLabel('Severity')
    await severity.selectOption('WARN')
    await expect.poll(labels).toEqual(['WARN 1'])
    const late = page.waitForResponse((response) => response.url().includes('cursor'))
    resolve()
    await late
    await expect.poll(() => main(page, 'Show more').getAttribute('aria-busy')).toBe(null)
    await severity.selectOption('ERROR')
    await expect.poll(labels).toEqual(['ERROR 1'])
    await main(page, 'Show more').click()
    await expect.poll(labels).toEqual(['ERROR 1', 'ERROR 2'])
  })

  test('a search that is made again has all lines that it had, and the new ones before them', async () => {
    const { page } = await installation.openShared()
    const lines = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => {
        const second = from + index
        const time = new Date(Date.parse('2026-03-01T09:00:00Z') + second * 1_000).toISOString()
        return `${time} ERROR line ${second}`
      })
    await pushLines(installation.origin, 'many', lines(0, 420))
    await page.goto('/logs?source=many&order=time')
    await page.getByText('200 of 420 shown').waitFor()
    await main(page, 'Show more').click()
    await page.getByText('400 of 420 shown').waitFor()
    await pushLines(installation.origin, 'many', lines(420, 30))
    await page.getByRole('searchbox', { name: 'Search logs' }).press('Enter')
    await page.getByText('430 of 450 shown').waitFor()
    await main(page, 'Show more').click()
    await page.getByText('450 of 450 shown').waitFor()
  })

  test('a bundle that cannot be loaded is not shown as the one that was opened before', async () => {
    const { page } = await installation.openShared()
    const bundle = (id: string) => ({
      ...{ id, label: `Bundle ${id}`, severity: 'ERROR', sanitized: true, entry_count: 1, bytes: 10 },
      ...{ received_at: '2026-03-01T09:00:00Z', exported_at: '2026-03-01T09:00:00Z', service_version: '1' },
      bundle: { of: id },
    })
    await page.route('**/logs/api/bundles?*', (route) =>
      route.fulfill({ json: { bundles: [bundle('a'), bundle('b')], next_cursor: null } }),
    )
    await page.route('**/logs/api/bundles/a', (route) => route.fulfill({ json: bundle('a') }))
    await answer(page, '/logs/api/bundles/b', { status: 503, body: '{"detail":"Busy."}' })
    await page.goto('/logs/bundles')
    await page.getByRole('link', { name: 'Bundle a' }).click()
    await page.getByRole('dialog', { name: 'Bundle a' }).getByText('"of": "a"').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Bundle b' }).click()
    const dialog = page.getByRole('dialog', { name: 'Bundle', exact: true })
    await dialog.getByText('Busy.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Download' }).count()).toBe(0)
  })

  test('a list that is refreshed honours Retry-After, and requests a missing key once', async () => {
    const { page, context } = await installation.open()
    await page.clock.install()
    const queued = {
      ...{ id: '1', incident_id: '12345678', destination: 'https://example.org', status: 'queued', sanitized: true },
      ...{ sent_at: null, created_at: '2026-03-01T09:00:00Z', last_error: null },
    }
    const list = { sent_bundles: [queued], next_cursor: null, receiver: 'https://example.org' }
    const busy = { status: 503, headers: { 'retry-after': '60' }, json: { detail: 'Busy.' } }
    const refused = { status: 401, json: { detail: 'The key is missing.' } }
    const answers = [{ json: list }, busy, { json: list }, refused]
    let requests = 0
    await page.route('**/logs/api/sent-bundles?*', (route) => {
      requests += 1
      return route.fulfill(answers[requests - 1] ?? refused)
    })
    /** Resolves when the requests that the page has sent by now have arrived. */
    const flushed = () => page.evaluate("fetch('/logs/health').then(() => undefined)")
    await page.goto('/logs/bundles?tab=sent')
    await page.getByText('queued').waitFor()
    await page.clock.fastForward(2_000)
    await page.getByText('Busy.').waitFor()
    await page.clock.fastForward(30_000)
    await flushed()
    expect(requests).toBe(2)
    await page.clock.fastForward(30_000)
    await page.getByText('Busy.').waitFor({ state: 'detached' })
    await page.clock.fastForward(2_000)
    const dialog = page.getByRole('dialog', { name: 'Key of the log service' })
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await page.clock.fastForward(30_000)
    await flushed()
    expect(requests).toBe(4)
    await context.close()
  })

  test('a refusal for a missing key that arrives after the key was entered opens no dialog', async () => {
    const { page } = await installation.openShared()
    await answer(page, '/logs/api/session', { status: 200, body: '{}' })
    const { promise, resolve } = Promise.withResolvers<void>()
    await page.route('**/logs/api/watch/reload', async (route) => {
      await promise
      return route.fulfill({ status: 401, json: { detail: 'The key is missing.' } })
    })
    await page.goto('/logs/overview')
    await main(page, 'Read sources file again').click()
    await page.getByRole('button', { name: 'Appearance and keys' }).click()
    await page.getByRole('menuitem', { name: 'Enter the key of the log service' }).click()
    const dialog = page.getByRole('dialog', { name: 'Key of the log service' })
    await dialog.getByLabel('Key', { exact: true }).fill('right')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    resolve()
    await page.getByRole('alert').getByText('The key is missing.').waitFor()
    expect(await dialog.count()).toBe(0)
  })

  test('what was typed stays when its page loads again after the key was entered, and while it is saved', async () => {
    const { page } = await installation.openShared()
    await answer(page, '/logs/api/session', { status: 200, body: '{}' })
    await page.route('**/logs/api/context/wizard/step', (route) =>
      route.request().headers().authorization === undefined
        ? route.fulfill({ status: 401, json: { detail: 'The key is missing.' } })
        : route.fallback(),
    )
    await page.goto('/logs/context?tab=wizard&step=network')
    const subnets = page.getByLabel('Subnets')
    await subnets.fill('10.0.0.0/8')
    await main(page, 'Save and go on').click()
    const dialog = page.getByRole('dialog', { name: 'Key of the log service' })
    const loaded = page.waitForResponse((response) => response.url().endsWith('/wizard/schema'))
    await dialog.getByLabel('Key', { exact: true }).fill('right')
    await page.keyboard.press('Enter')
    await loaded
    await dialog.waitFor({ state: 'hidden' })
    expect(await subnets.inputValue()).toBe('10.0.0.0/8')
    await main(page, 'Save and go on').click()
    await page.getByText('Step 4 of 7').waitFor()

    // Answered on another page, it changes nothing in the address of that.
    const answerStep = await answerLate(page, 'POST', '/logs/api/context/wizard/step')
    const late = page.waitForResponse((response) => response.url().endsWith('/wizard/step'))
    const read = page.waitForResponse((response) => response.url().endsWith('/wizard/schema'))
    await main(page, 'Save and go on').click()
    await page.getByRole('navigation', { name: 'Logs pages' }).getByRole('link', { name: 'Incidents' }).click()
    await page.getByRole('heading', { level: 1, name: 'Incidents' }).waitFor()
    answerStep()
    await late
    await (await read).finished()
    await page.getByRole('searchbox', { name: 'Search incidents' }).fill('disk')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=disk/)
    expect(new URL(page.url()).search).toBe('?q=disk')

    await page.goto('/logs/settings')
    const release = await answerLate(page, 'PATCH', '/logs/api/settings')
    await page.getByLabel('Type of its issues').fill('Story')
    await main(page, 'Save settings').click()
    await page.getByLabel('Project').fill('OPS')
    release()
    await page.locator('.toast').getByText('Settings saved').waitFor()
    await page.getByRole('status').getByText('1 changed').waitFor()
    expect(await page.getByLabel('Project').inputValue()).toBe('OPS')
    expect(await page.getByLabel('Type of its issues').inputValue()).toBe('Story')
  })

  test('two tabs change different values of one saved search, and a control shows what is stored', async () => {
    const { page, context } = await installation.openShared()
    const list = (await (await context.request.get('/listings/api/saved-searches')).json()) as {
      saved_searches: { id: number; name: string }[]
    }
    const first = list.saved_searches.find(({ name }) => name === 'First')
    const path = `/listings/api/saved-searches/${first?.id}/monitor`
    await context.request.patch(path, { data: { monitor_enabled: true, poll_interval_min: 60, min_trust_score: 50 } })
    await page.goto('/listings/saved')
    const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'First' }) })
    const [every, trust, monitor] = ['Every, minutes', 'Trust at least', 'Monitor'].map((name) => card.getByLabel(name))
    await expect.poll(() => every?.inputValue()).toBe('60')
    await context.request.patch(path, { data: { poll_interval_min: 30 } })
    await trust?.fill('70')
    await trust?.press('Enter')
    await expect.poll(() => every?.inputValue()).toBe('30')
    await answer(page, path, { status: 503, body: '{"detail":"Busy."}' })
    await trust?.fill('80')
    await trust?.press('Enter')
    await expect.poll(() => trust?.inputValue()).toBe('70')
    await monitor?.click()
    await expect.poll(() => monitor?.isChecked()).toBe(true)
    await page.getByRole('alert').getByText('Busy.').waitFor()

    await page.goto('/listings/settings')
    const currency = page.getByLabel('Currency for comparison')
    await currency.waitFor()
    await page.route('**/listings/api/preferences', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({ status: 503, json: { detail: 'Busy.' } })
        : route.fallback(),
    )
    await currency.selectOption('EUR')
    await page.getByText('Busy.').waitFor()
    await expect.poll(() => currency.inputValue()).toBe('')
  })

  test('an alert that is dismissed among all stays in its place, and one that another tab has dismissed leaves', async () => {
    const { page } = await installation.openShared()
    const dismissed = new Set<number>()
    const alert = (id: number) => ({
      ...{ id, kind: 'new_match', platform_listing_id: `x${id}`, title: `Lens ${id}`, price: 1, currency: 'USD' },
      ...{ price_before: null, composite_score: 50, score_is_partial: false, ends_at: null, snoozed_until: null },
      ...{ saved_search_name: 'Lenses', created_at: '2026-03-01T09:00:00Z', url: 'https://example.org/' },
      dismissed_at: dismissed.has(id) ? '2026-03-01T10:00:00Z' : null,
    })
    await page.route('**/listings/api/alerts?*', (route) => {
      const { searchParams } = new URL(route.request().url())
      const all = Array.from({ length: 250 }, (_, id) => alert(id))
      const listed = searchParams.get('include_dismissed') === 'true' ? all : all.filter((each) => !each.dismissed_at)
      const from = Number(searchParams.get('cursor') ?? 0)
      const next_cursor = from + 100 < listed.length ? String(from + 100) : null
      return route.fulfill({ json: { alerts: listed.slice(from, from + 100), unread_count: 250, next_cursor } })
    })
    await page.route('**/listings/api/alerts/*/dismiss', (route) => {
      dismissed.add(Number(/(\d+)\/dismiss$/.exec(route.request().url())?.[1]))
      return route.fulfill({ status: 204 })
    })
    const rows = page.getByRole('list', { name: 'Alerts' }).getByRole('listitem')
    const row = (id: number) => rows.filter({ has: page.getByRole('link', { name: `Lens ${id}`, exact: true }) })
    await page.goto('/listings/alerts?all=1')
    await main(page, 'Show more').click()
    await expect.poll(() => rows.count()).toBe(200)
    await row(150).getByRole('button', { name: 'Dismiss' }).click()
    await row(150).getByRole('button', { name: 'Dismiss' }).waitFor({ state: 'detached' })
    expect(await rows.count()).toBe(200)

    await page.getByLabel('Show dismissed ones, too').uncheck()
    await row(150).waitFor({ state: 'detached' })
    await main(page, 'Show more').click()
    await expect.poll(() => rows.count()).toBe(200)
    dismissed.add(7)
    await row(7).waitFor({ state: 'detached' })
    expect(await rows.count()).toBe(199)
  })

  test('an answer that is cut off is requested again, and once more when the server is reached', async () => {
    const { page, context } = await installation.open()
    await page.addInitScript(`
      window.cut = 1
      window.whole = 0
      const { fetch } = window
      window.fetch = async (url, init) => {
        const response = await fetch(url, init)
        if (!String(url).endsWith('/logs/api/stats')) return response
        if (window.cut === 0) window.whole += 1
        if (window.cut === 0) return response
        window.cut -= 1
        const body = new ReadableStream({
          start(stream) {
            stream.enqueue(new TextEncoder().encode('{"window_hours"'))
            setTimeout(() => stream.error(new TypeError('network error')))
          },
        })
        return new Response(body, response)
      }
    `)
    const answers = () => page.evaluate('[window.cut, window.whole]')
    await page.goto('/logs/overview')
    await page.getByRole('heading', { name: 'Sources' }).waitFor()
    expect(await answers()).toEqual([0, 1])
    await page.evaluate('window.cut = 2')
    await main(page, 'Refresh').click()
    await expect.poll(answers).toEqual([0, 2])
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Sources' }).waitFor()
    await context.close()
  })

  test('a dialog stays until its change is answered, and reports what it is about', async () => {
    const { page } = await installation.openShared()
    const chain = (name: string) => ({
      ...{ chain_id: name, name, root_node_id: 'r', spine: [], nodes: [], bpm: null, key: null, loudness_lufs: null },
      ...{ sample_rate: 44_100, channels: 1, created_at: '2026-03-01T09:00:00Z', updated_at: '2026-03-01T09:00:00Z' },
    })
    await page.route('**/music/api/chains?*', (route) =>
      route.fulfill({ json: { chains: [chain('one'), chain('two')], next_cursor: null } }),
    )
    await answer(page, '/music/api/chains/one', { status: 503, body: '{"detail":"Busy."}' })
    const release = await withhold(page, '/music/api/chains/one')
    await page.goto('/music')
    await main(page, 'Delete one').click()
    const dialog = page.getByRole('dialog', { name: 'Delete this piece?' })
    const sent = isSent(page, 'DELETE', '/music/api/chains/one')
    await dialog.getByRole('button', { name: 'Delete piece' }).click()
    await sent
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Cancel' }).click({ force: true })
    await dialog.getByRole('status').getByText('Wait for the answer.').waitFor()
    expect(await dialog.getByText('one', { exact: true }).count()).toBe(1)
    release()
    await dialog.getByRole('alert').getByText('Busy.').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })

    const id = await createIncident(installation.origin, 'Edited')
    await page.goto(`/logs/incidents/${id}`)
    await main(page, 'Edit').click()
    const edit = page.getByRole('dialog', { name: 'Edit incident' })
    const answerEdit = await answerLate(page, 'PATCH', `/logs/api/incidents/${id}`)
    await edit.getByLabel('Label', { exact: true }).fill('Edited twice')
    await page.keyboard.press('Enter')
    await expect.poll(() => edit.getByRole('button', { name: 'Save' }).getAttribute('aria-busy')).toBe('true')
    await page.keyboard.press('Escape')
    expect(await edit.isVisible()).toBe(true)
    answerEdit()
    await page.getByRole('heading', { level: 1, name: 'Edited twice' }).waitFor()
    await edit.waitFor({ state: 'hidden' })
  })

  test('a slot that was released is not shown again by the answer to its renewal', async () => {
    const { page } = await installation.openShared()
    const session = { session_id: 's', status: 'leased', expires_at: '2099-01-01T00:00:00Z' }
    await answer(page, '/music/api/gpu/sessions', { status: 201, body: JSON.stringify(session) })
    await page.route('**/music/api/gpu/sessions/s', (route) =>
      route.request().method() === 'DELETE' ? route.fulfill({ status: 204 }) : route.fulfill({ json: session }),
    )
    const { promise, resolve } = Promise.withResolvers<void>()
    await page.route('**/music/api/gpu/sessions/s', async (route) => {
      if (route.request().method() === 'PUT') await promise
      await route.fallback()
    })
    await page.goto('/music/capacity')
    await main(page, 'Reserve a slot').click()
    const sent = isSent(page, 'PUT', '/music/api/gpu/sessions/s')
    await main(page, 'Renew').click()
    await sent
    await main(page, 'Release the slot').click()
    await main(page, 'Reserve a slot').waitFor()
    const late = page.waitForResponse((response) => response.request().method() === 'PUT')
    resolve()
    await (await late).finished()
    // Shown by a later change of the page than the answer.
    await main(page, 'Reserve a slot').click()
    const renew = main(page, 'Renew')
    await renew.waitFor()
    expect(await renew.getAttribute('aria-busy')).toBe(null)
  })

  test('a page of a proxy in the place of an answer is a failure in words', async () => {
    const { page, problems } = await installation.openShared()
    const headers = { 'content-type': 'text/html' }
    await answer(page, /^\/(listings|logs|music)\/api\//, { status: 200, headers, body: '<h1>Sign in</h1>' })
    for (const path of ['/logs/overview', '/listings/saved', '/music']) {
      await page.goto(path)
      await page.getByRole('alert').getByText('a proxy before it that requires signing in').first().waitFor()
    }
    expect(problems()).toEqual([])
  })

  test('a stream that ends as soon as it is open is opened again after longer and longer waits', async () => {
    const { page } = await installation.openShared()
    await answer(page, '/logs/api/tail', { status: 200, headers: { 'content-type': 'text/event-stream' } })
    await page.goto('/logs?live=1')
    await page.getByText(/in [2-9] s/).waitFor()
  })

  browserTest('lines that a tail has missed in an unknown number are not counted as none', async () => {
    const { page, context } = await installation.openShared()
    await pushLines(installation.origin, 'gap', ['before the gap'])
    const found = await context.request.get('/logs/api/search?source=gap')
    const { entries } = (await found.json()) as { entries: object[] }
    await answer(page, '/logs/api/tail', {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: `event: entry\ndata: ${JSON.stringify(entries[0])}\n\nevent: gap\ndata: {"missed":null}\n\n`,
    })
    await page.goto('/logs?source=gap&live=1')
    await page.getByText(/ · an unknown number missed$/).waitFor()
  })

  test('a row that was removed stays away when its list cannot be loaded again', async () => {
    const { page, context } = await installation.open()
    await page.clock.install()
    await answer(page, /^\/listings\/api\/saved-searches\/\d+$/, { status: 204 })
    await page.goto('/listings/saved')
    const rows = page.getByRole('list', { name: 'Saved searches' }).getByRole('listitem')
    await expect.poll(() => rows.count()).toBe(names.length)
    await answer(page, '/listings/api/saved-searches', { status: 503, body: '{"detail":"Busy."}' })
    await rows
      .first()
      .getByRole('button', { name: /^Delete/ })
      .click()
    await page.clock.fastForward(5_000)
    await page.getByRole('alert').getByText('Busy.').waitFor()
    await page.clock.fastForward(1_000)
    await page.locator('.toast').waitFor({ state: 'detached' })
    expect(await rows.count()).toBe(names.length - 1)
    await context.close()
  })

  test('a task that has ended is not shown as running by an older answer', async () => {
    const { page } = await installation.openShared()
    const task = (status: string) => ({
      ...{
        task_id: 't',
        kind: 'glean',
        status,
        progress: { done: 1, total: 2, unit: 'files' },
        counts: null,
        error: null,
      },
      ...{ formats: {}, skipped: [], skipped_count: 0, started_at: '2026-03-01T09:00:00Z', finished_at: null },
    })
    const frame = (id: number, event: string, status: string) =>
      `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(task(status))}\n\n`
    const frames = [frame(1, 'progress', 'running'), frame(2, 'done', 'done')]
    await page.route('**/logs/api/tasks/t/events', (route) =>
      route.fulfill({ headers: { 'content-type': 'text/event-stream' }, body: frames.shift() ?? '' }),
    )
    const { promise, resolve } = Promise.withResolvers<void>()
    await page.route('**/logs/api/tasks/t', async (route) => {
      await promise
      await route.fulfill({ json: task('running') })
    })
    await page.goto('/logs/sources?task=t')
    const shown = page.getByRole('group', { name: 'Task glean' })
    await shown.getByText('done', { exact: true }).waitFor()
    const late = page.waitForResponse((response) => response.url().endsWith('/logs/api/tasks/t'))
    resolve()
    await (await late).finished()
    // A later change of the page.
    await page.getByText('How to read them').click()
    await page.getByLabel('Source name').waitFor()
    expect(await shown.getByRole('progressbar').count()).toBe(0)
    await shown.getByText('done', { exact: true }).waitFor()
  })

  type Node = { node_id: string; parent_id: string | null; status: string; error: string; created_at: string }

  test('a decision that is answered late does not hide a newer one, and takes of a deep tree keep their width', async () => {
    const { page, context } = await installation.openShared()
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    await page.goto('/music')
    await main(page, 'Take the example tune').click()
    const form = page.getByRole('form', { name: 'Continue' })
    await form.getByRole('spinbutton', { name: 'Takes' }).fill('2')
    await form.getByLabel('Seconds', { exact: true }).fill('1')
    await form.getByRole('button', { name: 'Continue' }).click()
    const take = page.getByRole('treeitem', { name: 'Take 1' })
    const other = page.getByRole('treeitem', { name: 'Take 2' })
    for (const each of [take, other]) await each.getByText('undecided').waitFor()
    const release = await answerLate(page, 'POST', /\/commit$/)
    await take.getByRole('button', { name: 'Commit' }).click()
    await take.getByText('committed').waitFor()
    const path = new URL(page.url()).pathname.replace('/music/', '/music/api/')
    const id = (await take.getAttribute('id'))?.replace('take-', '')
    await context.request.post(`${path}/nodes/${id}/discard`)
    await take.getByText('discarded').waitFor()
    release()
    await page.locator('.toast').getByText('Committed').waitFor()
    await expect.poll(() => take.getByRole('button', { name: 'Commit' }).getAttribute('aria-busy')).toBe(null)
    expect(await take.getByText('discarded').count()).toBe(1)

    // The peaks of the upload for the waveform of the spine were requested once, those for its small picture have 120 points.
    const peaks = requested.filter((url) => url.includes('/peaks?') && !url.endsWith('points=120'))
    expect(peaks.filter((url) => url === peaks[0]).length).toBe(1)

    // A decision is taken back as far as its takes are still there.
    for (const each of [take, other]) {
      await each.getByRole('button', { name: 'Commit' }).click()
      await each.getByText('committed').waitFor()
    }
    await context.request.delete(`${path}/nodes/${id}`)
    await expect.poll(() => page.getByRole('treeitem').count()).toBe(2)
    await page.keyboard.press('Control+z')
    await page.getByRole('treeitem').getByText('discarded').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)

    await amend<{ nodes: Node[] }>(page, path, ({ nodes }) => {
      const [, first] = nodes
      for (let depth = 2; depth <= 40; depth += 1)
        nodes.push({
          ...(first as Node),
          ...{
            node_id: `n${depth}`,
            parent_id: depth === 2 ? (first?.node_id ?? '') : `n${depth - 1}`,
            status: 'error',
          },
          ...{ error: 'The path is silent.', created_at: `2099-01-01T00:00:${10 + depth}Z` },
        })
    })
    await page.setViewportSize({ width: 360, height: 740 })
    await page.reload()
    const deepest = page.locator('#take-n40')
    await deepest.getByText('after take 39').waitFor()
    expect(await deepest.getAttribute('aria-level')).toBe('41')
    expect((await deepest.boundingBox())?.width).toBeGreaterThan(200)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  })
})
