import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { delta, done, serveChat } from '@trellis/test/support/chat-server'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { describe, expect, test } from 'vitest'
import { draftOf } from '../../src/logs/setup/drafts.ts'
import { violationsInThemes } from '../support/accessible.ts'
import { amend, answer, withhold } from '../support/answer.ts'
import { hasBrowser, skipped } from '../support/browser.ts'
import { browserTest } from '../support/browser-test.ts'
import { installationOfSuite } from '../support/installation.ts'
import { logLines, pushLines } from '../support/log-lines.ts'
import { changeSettings, createIncident } from '../support/log-requests.ts'
import { startWithPages } from '../support/served.ts'

const key = 'a-key-for-tests'

describe.skipIf(!hasBrowser)(`logs in a browser${skipped}`, () => {
  const installation = installationOfSuite()

  test('an uploaded file is found, read in its context, and becomes an incident whose bundle is masked', async () => {
    const { page, problems } = await installation.openShared()
    await page.goto('/logs/sources')
    await page.getByRole('group', { name: 'Choose files' }).waitFor()
    const file = { name: 'shop.log', mimeType: 'text/plain', buffer: Buffer.from(logLines(400)) }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByText('400 new entries of 400 lines').waitFor()
    await page.getByRole('link', { name: 'Show the newest lines' }).click()

    const box = page.getByRole('searchbox', { name: 'Search logs' })
    await box.fill('refused')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByText('100 found').waitFor()
    const grid = page.getByRole('grid', { name: 'Log lines' })
    expect(await grid.getAttribute('aria-rowcount')).toBe('100')
    expect(await grid.locator('mark').first().textContent()).toBe('refused')

    await grid.getByRole('row').first().click()
    await page.getByRole('button', { name: 'Context', exact: true }).click()
    const context = page.locator('.context li')
    await context.first().waitFor()
    expect(await context.count()).toBeGreaterThan(20)

    // On a narrow screen it stands above the lower edge, and its line above it.
    await page.setViewportSize({ width: 360, height: 740 })
    await grid.getByRole('row').nth(6).click()
    const entry = page.getByRole('region', { name: 'Entry', exact: true })
    const edges = async () => {
      const line = await grid.getByRole('row', { selected: true }).boundingBox()
      const shown = await entry.boundingBox()
      return line && shown && { line: line.y + line.height <= shown.y, isVisible: shown.y > 0 && shown.y < 740 - 200 }
    }
    await expect.poll(edges).toEqual({ line: true, isVisible: true })
    await page.setViewportSize({ width: 1280, height: 720 })

    await page.getByRole('button', { name: 'Save as incident' }).click()
    await page.getByLabel('Label', { exact: true }).fill('Upstream refuses')
    await page.getByRole('button', { name: 'Create incident' }).click()
    await page.getByRole('heading', { level: 1, name: 'Upstream refuses' }).waitFor()
    await page
      .getByText('100 of 100 entries', { exact: false })
      .or(page.getByText('100 entries', { exact: false }))
      .first()
      .waitFor()

    await page.getByRole('button', { name: 'Acknowledge' }).click()
    await page.getByText('acknowledged', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit incident' })
    await edit.getByLabel('Ended').fill('2026-03-01T10:30:00')
    await edit.getByRole('button', { name: 'Save' }).click()
    await page.getByText('2026-03-01 10:30:00').first().waitFor()
    await page.getByRole('button', { name: 'Export' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download bundle' }).click()
    const text = await readFile(await (await downloading).path(), 'utf8')
    const bundle = JSON.parse(text)
    expect(bundle).toMatchObject({ bundle_version: 1, sanitized: true, incident: { label: 'Upstream refuses' } })
    expect(bundle.entries).toHaveLength(100)
    expect(text).not.toContain('10.0.0.7')
    expect(problems()).toEqual([])
  })

  test('lines are added to an incident that exists, one from its detail and some that were chosen', async () => {
    await pushLines(installation.origin, 'attached', logLines(8).split('\n'))
    const created = await fetch(`${installation.origin}/logs/api/incidents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        label: 'Slow since Monday',
        started_at: '2026-02-01T09:00:00Z',
        ended_at: '2026-02-01T09:01:00Z',
      }),
    })
    const { id } = (await created.json()) as { id: string }
    await pushLines(installation.origin, 'attached', ['2026-02-01T09:00:30Z ERROR found by the window'])
    const { page, problems } = await installation.openShared()
    await page.goto('/logs?source=attached&order=time')
    const grid = page.getByRole('grid', { name: 'Log lines' })
    await grid.getByRole('row').first().click()
    await page
      .getByRole('region', { name: 'Entry', exact: true })
      .getByRole('button', { name: 'Add to incident' })
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Add 1 line to').selectOption({ label: 'Slow since Monday' })
    await page.getByRole('heading', { name: 'Add to incident' }).waitFor()
    expect(await violationsInThemes(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Add lines' }).click()
    await page.getByText('1 line added to “Slow since Monday”').waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Add to incident')

    await grid.focus()
    for (const key of ['Home', 'Shift+ArrowDown', 'Shift+ArrowDown']) await page.keyboard.press(key)
    await page.getByRole('group', { name: 'Chosen lines' }).getByRole('button', { name: 'Add to incident' }).click()
    await dialog.getByLabel('Add 3 lines to').selectOption({ label: 'Slow since Monday' })
    await dialog.getByRole('button', { name: 'Add lines' }).click()
    await page.getByText('2 lines added to “Slow since Monday”').waitFor()

    await page.getByRole('button', { name: 'Save as incident' }).click()
    await page.getByRole('heading', { name: 'New incident' }).waitFor()
    expect(await dialog.getByLabel('Label').count()).toBe(1)
    expect(await dialog.getByRole('combobox', { name: /^Add/ }).count()).toBe(0)
    await page.keyboard.press('Escape')

    await page.goto(`/logs/incidents/${id}`)
    await page.getByText('4 entries, 3 of them added to it').waitFor()
    // The line of its window belongs to it as long as its window does.
    expect(await page.getByRole('button', { name: 'Remove this line' }).count()).toBe(3)
    await page.getByRole('button', { name: 'Remove this line' }).first().click()
    await page.getByText('Line removed from the incident').waitFor()
    expect(problems()).toEqual([])
    await fetch(`${installation.origin}/logs/api/sources/attached`, { method: 'DELETE' })
  })

  browserTest('the lines around an entry are scrolled to on a phone, where they are below its fields', async () => {
    const texts = Array.from({ length: 60 }, (_, second) => `2026-02-03T09:00:${String(second).padStart(2, '0')}Z step`)
    await pushLines(installation.origin, 'around', texts)
    const { page } = await installation.openShared()
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto('/logs?source=around&order=time')
    await page.getByRole('grid', { name: 'Log lines' }).getByRole('row').nth(1).click()
    const entry = page.getByRole('region', { name: 'Entry', exact: true })
    await entry.getByRole('button', { name: 'Context', exact: true }).click()
    const own = entry.locator('li[aria-current]')
    await own.waitFor()
    const isInside = async () => {
      const [panel, line] = await Promise.all([entry.boundingBox(), own.boundingBox()])
      return panel && line && line.y >= panel.y && line.y + line.height <= panel.y + panel.height
    }
    await expect.poll(isInside).toBe(true)
    await fetch(`${installation.origin}/logs/api/sources/around`, { method: 'DELETE' })
  })

  browserTest('lines that were added beyond those shown are counted, and follow when one is removed', async () => {
    const { page, context, problems } = await installation.openShared()
    await pushLines(installation.origin, 'many', logLines(102).split('\n'))
    const found = await context.request.get('/logs/api/search?source=many&limit=200')
    const { entries } = (await found.json()) as { entries: { entry_id: string }[] }
    const id = await createIncident(installation.origin, 'Many lines', '2026-02-01T09:00:00Z')
    await context.request.patch(`/logs/api/incidents/${id}`, { data: { ended_at: '2026-02-01T09:01:00Z' } })
    const ids = entries.map(({ entry_id }) => entry_id)
    for (const entry_ids of [ids.slice(0, 100), ids.slice(100)])
      await context.request.post(`/logs/api/incidents/${id}/entries`, { data: { entry_ids } })
    await page.clock.install()
    await page.goto(`/logs/incidents/${id}`)
    const note = (added: number) =>
      page.getByText(`100 of the ${added} lines that were added are shown, the earliest ones.`)
    await note(102).waitFor()
    const removing = page.getByRole('button', { name: 'Remove this line' })
    for (const added of [101, 100]) {
      await removing.first().click()
      await page.getByText('Line removed from the incident').waitFor()
      await page.clock.runFor(6_000)
      await (added === 101 ? note(added).waitFor() : note(101).waitFor({ state: 'detached' }))
      await expect.poll(() => removing.count()).toBe(100)
    }
    expect(problems()).toEqual([])
    await context.request.delete('/logs/api/sources/many')
  })

  test('a file chosen on the home page is ingested, and a toast counts its new entries', async () => {
    const { page, problems } = await installation.openShared()
    await page.goto('/home')
    const card = page.getByRole('region', { name: 'Logs' })
    const file = { name: 'home.log', mimeType: 'text/plain', buffer: Buffer.from(logLines(20)) }
    await card.locator('input[type=file]').setInputFiles(file)
    await page.getByRole('heading', { level: 1, name: 'Search logs' }).waitFor()
    await page.getByText('20 new entries of 20 lines').waitFor()
    expect(problems()).toEqual([])
    await fetch(`${installation.origin}/logs/api/sources/home.log`, { method: 'DELETE' })
  })

  test('a ticket of an incident is linked once it is made, and a task of before a reload is shown again', async () => {
    const { page, problems } = await installation.openShared()
    await changeSettings(installation.origin, {
      jira_url: 'https://tracker.test',
      jira_token: 't',
      jira_project: 'SHOP',
    })
    await page.goto('/logs/incidents')
    await page.getByRole('link', { name: 'Upstream refuses' }).click()
    await answer(page, /\/incidents\/[^/]+\/export$/, {
      status: 200,
      body: '{"tracker":"jira","ticket_id":"SHOP-7","url":"https://tracker.test/SHOP-7","created":true}',
    })
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('button', { name: 'Jira ticket' }).click()
    const link = page.getByRole('link', { name: 'ticket SHOP-7' })
    await link.waitFor()
    expect(await link.getAttribute('href')).toBe('https://tracker.test/SHOP-7')

    await page.goto('/logs/sources')
    await page.getByRole('button', { name: 'Free disk space' }).click()
    const task = page.getByRole('group', { name: 'Task vacuum' })
    await task.getByText('done', { exact: true }).waitFor()
    await page.waitForURL(/task=/)
    await page.reload()
    await task.getByText('done', { exact: true }).waitFor()
    await page.goto('/logs/sources?task=none')
    await page.waitForURL((url) => !url.searchParams.has('task'))
    expect(problems()).toEqual([])
  })

  test('an upload shows how much of it was sent, can be cancelled, and can be sent again', async () => {
    const { page, context, problems } = await installation.open()
    await page.goto('/logs/sources')
    const session = await context.newCDPSession(page)
    const sendAt = (bytesPerSecond: number) =>
      session.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: bytesPerSecond,
      })
    const lines = Array.from({ length: 20_000 }, (_, index) => `2026-05-01T10:00:00Z INFO part ${index} of a long file`)
    const buffer = Buffer.from(lines.join('\n'))
    const input = page.locator('input[type=file]')
    await input.waitFor({ state: 'attached' })
    await sendAt(20_000)
    await input.setInputFiles({ name: 'long.log', mimeType: 'text/plain', buffer })
    const progress = page.getByRole('progressbar', { name: /^Uploading \d.* of 1\.0 MB$/ })
    await progress.waitFor()
    await expect.poll(async () => Number(await progress.getAttribute('value'))).toBeGreaterThan(0)
    expect(await violationsInThemes(page)).toEqual([])
    await page.getByRole('button', { name: 'Cancel upload' }).click()
    await progress.waitFor({ state: 'detached' })
    expect(await page.getByText('The upload failed.').count()).toBe(0)
    await sendAt(-1)
    await input.setInputFiles({ name: 'long.log', mimeType: 'text/plain', buffer })
    // The lines that came before it was cancelled are known already.
    await page.getByText(/ new entries of 20,000 lines/).waitFor()
    await page.getByRole('group', { name: 'Task upload' }).getByText('long.log', { exact: true }).waitFor()
    const { sources } = (await (await fetch(`${installation.origin}/logs/api/sources`)).json()) as {
      sources: { source_id: string; entry_count: number }[]
    }
    const long = sources.find(({ source_id: id }) => id.includes('long'))
    expect(long?.entry_count).toBe(20_000)
    expect(problems()).toEqual([])
    // The other tests count lines.
    await fetch(`${installation.origin}/logs/api/sources/${encodeURIComponent(long?.source_id ?? '')}`, {
      method: 'DELETE',
    })
  })

  browserTest(
    'the state of a search is in its address: filters, order, window and the selected line survive a reload',
    async () => {
      const { page, context, problems } = await installation.openShared()
      await page.goto('/logs')
      await page.getByRole('button', { name: 'Only ERROR' }).or(page.getByTitle('Only ERROR')).first().click()
      await page.getByLabel('Order').selectOption('time')
      const grid = page.getByRole('grid', { name: 'Log lines' })
      await page.waitForURL(/severity=ERROR.*order=time/)
      await page.getByText('100 found').waitFor()
      await grid.focus()
      await page.keyboard.press('ArrowDown')
      await page.waitForURL(/[?&]e=/)
      const shown = await page.getByRole('region', { name: 'Text of the entry' }).textContent()
      const address = page.url()
      await page.reload()
      await page.getByText('100 found').waitFor()
      expect(page.url()).toBe(address)
      expect(await page.getByRole('region', { name: 'Text of the entry' }).textContent()).toBe(shown)
      expect(await page.getByLabel('Order').inputValue()).toBe('time')

      const other = await context.newPage()
      await other.goto(address)
      await other.getByText('100 found').waitFor()
      expect(await other.getByRole('region', { name: 'Text of the entry' }).textContent()).toBe(shown)
      await other.close()

      await page.getByRole('button', { name: 'Remove severity ERROR' }).click()
      await page.getByText('400 found').waitFor()
      await page.goBack()
      await page.getByText('100 found').waitFor()
      expect(problems()).toEqual([])
    },
  )

  test('templates of the last day are shown first, and those of all time at a click', async () => {
    const { page, problems } = await installation.openShared()
    await page.goto('/logs/templates')
    // The lines are from March.
    await page.getByText('No templates in this window.').waitFor()
    await page.getByRole('button', { name: 'Show all time' }).click()
    const table = page.getByRole('table', { name: 'Templates' })
    await table
      .getByRole('link', { name: /Connection refused/ })
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'All time' }).waitFor()
    await page.reload()
    await table
      .getByRole('link', { name: /Connection refused/ })
      .first()
      .waitFor()
    await page.getByLabel('Severity').selectOption('WARN')
    await page.getByRole('searchbox', { name: 'Search templates' }).fill('refused')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByText('No template matches.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await table.waitFor()
    expect(problems()).toEqual([])
  })

  browserTest('values in the address that mean nothing are named and left out', async () => {
    const { page } = await installation.openShared()
    await page.goto('/logs?order=colour&live=maybe&q=refused&since=last-week')
    await page.getByText('were left out: since, order, live.').waitFor()
    await page.getByText('100 found').waitFor()
    await page.getByRole('button', { name: 'All time' }).waitFor()
    await page.goto('/logs/templates?trend=sideways&since=last-week')
    await page.getByText('were left out: trend, since.').waitFor()
    await page.getByRole('button', { name: 'Last 24 hours' }).waitFor()
    await page.goto('/logs/diagnose?until=tomorrow')
    await page.getByText('were left out: until.').waitFor()
    await page.goto('/logs/incidents?status=lost')
    await page.getByText('were left out: status.').waitFor()
    for (const [path, name] of [
      ['/logs/detections?scorer=none', 'scorer'],
      ['/logs/bundles?tab=none', 'tab'],
      ['/logs/blocklist?status=none', 'status'],
      ['/logs/context?tab=none', 'tab'],
      ['/listings/alerts?all=perhaps', 'all'],
    ]) {
      await page.goto(path ?? '')
      await page.getByText(`were left out: ${name}.`).waitFor()
    }
  })

  browserTest(
    'a time range is applied by Enter, and one that is incomplete or reversed is reported in its panel',
    async () => {
      await pushLines(installation.origin, 'ranged', ['2026-03-01T09:05:30Z ERROR within the range'])
      const { page, problems } = await installation.openShared()
      await page.goto('/logs?source=ranged')
      await page.getByText('1 found').waitFor()
      await page.getByRole('button', { name: 'All time' }).click()
      const range = page.getByRole('dialog', { name: 'Time range' })
      const from = range.getByLabel('From')
      await from.focus()
      // A day without its time.
      await page.keyboard.type('03012026')
      await range.getByRole('button', { name: 'Apply' }).click()
      expect(await range.locator('input:invalid').count()).toBe(1)
      await range.waitFor()
      await from.fill('2026-03-01T09:05:00')
      await range.getByLabel('To').fill('2026-03-01T09:01:00')
      await range.getByRole('button', { name: 'Apply' }).click()
      await range.getByText('It is before the start.').waitFor()
      await range.getByLabel('To').fill('2026-03-01T09:06:00')
      await page.keyboard.press('Enter')
      await range.waitFor({ state: 'hidden' })
      await page.waitForURL(/since=2026-03-01T09%3A05%3A00.000Z&until=2026-03-01T09%3A06%3A00.000Z/)
      expect(problems()).toEqual([])
      await fetch(`${installation.origin}/logs/api/sources/ranged`, { method: 'DELETE' })
    },
  )

  browserTest('an uploaded file without years is read with the year of the form', async () => {
    const { page, problems } = await installation.openShared()
    await page.goto('/logs/sources')
    await page.getByText('How to read them').click()
    await page.getByLabel('Year').fill('2019')
    const buffer = Buffer.from('Mar  1 10:00:00 host app[7]: of another year\n')
    await page.locator('input[type=file]').setInputFiles({ name: 'years.log', mimeType: 'text/plain', buffer })
    await page.getByText('1 new entry of 1 line').waitFor()
    await page.goto('/logs?source=years.log')
    await page.getByRole('grid', { name: 'Log lines' }).getByText('2019-03-01 10:00:00.000').waitFor()
    expect(problems()).toEqual([])
    await fetch(`${installation.origin}/logs/api/sources/years.log`, { method: 'DELETE' })
  })

  browserTest('a dropped folder is refused in a sentence, and of several bundles one is taken', async () => {
    const { page, context } = await installation.openShared()
    await using folder = await temporaryDirectory()
    await writeFile(join(folder.path, 'line.log'), '2026-03-01T09:00:00Z ERROR dropped with its folder\n')
    await writeFile(join(folder.path, 'first.json'), '{}')
    await writeFile(join(folder.path, 'second.json'), '{}')
    const session = await context.newCDPSession(page)
    const drop = async (area: string, ...files: readonly string[]) => {
      const { x = 0, y = 0 } = (await page.getByRole('group', { name: area }).boundingBox()) ?? {}
      const data = { items: [], files: [...files], dragOperationsMask: 1 }
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
        await session.send('Input.dispatchDragEvent', { type, x: x + 9, y: y + 9, data })
    }
    await page.goto('/logs/sources')
    await drop('Choose files', folder.path, join(folder.path, 'line.log'))
    await page.getByText('Folders cannot be read: drop the files in them instead.').waitFor()
    await page.getByText('1 new entry of 1 line').waitFor()
    await page.goto('/logs/bundles')
    await drop('Choose a bundle', join(folder.path, 'first.json'), join(folder.path, 'second.json'))
    await page.getByText('One file at a time: of 2, only first.json is taken.').waitFor()
    await page.getByRole('alert').getByText('The bundle was not taken.').waitFor()
    await fetch(`${installation.origin}/logs/api/sources/line.log`, { method: 'DELETE' })
  })

  test('a file that is found and ranked is set up once, and sources that are only added are reported', async () => {
    const { page } = await installation.openShared()
    const path = '/var/log/shop.log'
    await amend<{ suggestions: object[] }>(page, '/logs/api/setup/discover', (body) => {
      body.suggestions = [{ ...draftOf(path), id: 'shop' }]
    })
    await amend<{ files: object[] }>(page, '/logs/api/setup/scan', (body) => {
      body.files = [{ path, score: 0.9, size: 7, modified_at: '2026-03-01T09:00:00Z', matches: [] }]
    })
    await answer(page, '/logs/api/setup/write', { status: 201, body: '{"written":1,"sources":[]}' })
    await answer(page, '/logs/api/tasks/glean', { status: 409, body: '{"detail":"A run is under way."}' })
    await page.goto('/logs/setup')
    await page.getByRole('checkbox', { name: /^shop/ }).check()
    await page.getByRole('button', { name: 'Rank files' }).click()
    const ranked = page.getByRole('checkbox', { name: path }).last()
    await ranked.waitFor()
    expect(await ranked.isChecked()).toBe(true)
    const written = page.waitForRequest((request) => request.url().endsWith('/setup/write'))
    await page.getByRole('button', { name: 'Add 1 source' }).click()
    expect((await written).postDataJSON().sources).toMatchObject([{ id: 'shop', path }])
    await page.getByText('The sources were added, but not all of them were read.').waitFor()
    await page.getByText('A run is under way.').waitFor()

    const started = await page.request.post(`${installation.origin}/logs/api/tasks/vacuum`, { data: {} })
    await answer(page, '/logs/api/tasks/glean', { status: 202, body: await started.text() })
    await ranked.check()
    await page.getByRole('button', { name: 'Add 1 source' }).click()
    await page.waitForURL(/task=/)
    await page.reload()
    await page.getByRole('group', { name: 'Task vacuum' }).getByText('done', { exact: true }).waitFor()
    await page.goto('/logs/setup?task=none')
    await page.waitForURL((url) => !url.searchParams.has('task'))
  })

  browserTest(
    'settings that are not saved stay while other pages are read, and a reload must be confirmed',
    async () => {
      const { page, problems } = await installation.openShared()
      await page.goto('/logs/settings')
      const address = page.getByLabel('Address', { exact: true })
      await address.fill('no address')
      await page.getByRole('button', { name: 'Save settings' }).click()
      await page
        .getByRole('alert')
        .getByText('Address must be an address that starts with http:// or https://.', { exact: true })
        .waitFor()
      await page.getByRole('link', { name: 'Overview' }).click()
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      await page.goBack()
      await page.getByText('1 changed').waitFor()
      expect(await address.inputValue()).toBe('no address')
      const opened = page.waitForEvent('dialog')
      const reloaded = page.reload()
      const dialog = await opened
      expect(dialog.type()).toBe('beforeunload')
      await dialog.accept()
      await reloaded
      await page.getByText('No changes').waitFor()

      await address.fill('http://127.0.0.1:1/v1')
      await page.getByRole('button', { name: 'Discard changes' }).click()
      await page.getByText('No changes').waitFor()
      expect(await address.inputValue()).toBe('')
      expect(problems()).toEqual([])
    },
  )

  browserTest('a source whose name has a comma is one filter, and one with spaces can be deleted', async () => {
    const { page, problems } = await installation.openShared()
    await pushLines(installation.origin, 'error,2026.log', ['2026-03-01T09:00:00Z ERROR the comma is read'])
    await pushLines(installation.origin, ' two  spaces', ['2026-03-01T09:00:00Z ERROR the spaces are read'])
    await page.goto('/logs/sources')
    const stored = page.getByRole('table', { name: 'Stored sources' })
    await stored.getByRole('link', { name: 'error,2026.log' }).click()
    const filters = page.getByRole('list', { name: 'Filters' })
    await filters.getByText('source error,2026.log').waitFor()
    await page.getByText('1 found').waitFor()
    await page.getByRole('button', { name: /^error,2026\.log/, pressed: true }).waitFor()
    await page.reload()
    await page.getByText('1 found').waitFor()
    await page.getByRole('button', { name: 'Remove source error,2026.log' }).click()
    await filters.waitFor({ state: 'hidden' })

    await page.goto('/logs/sources')
    await stored.getByRole('button', { name: 'Delete two spaces' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete a source' })
    await dialog.getByLabel('Type').fill('two spaces')
    await dialog.getByRole('button', { name: 'Delete source' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await stored.getByRole('button', { name: 'Delete two spaces' }).waitFor({ state: 'hidden' })
    expect(problems()).toEqual([])
    await fetch(`${installation.origin}/logs/api/sources/error%2C2026.log`, { method: 'DELETE' })
  })

  browserTest('panels and long names of sources fit a screen of 360 pixels', async () => {
    const name = `kettle-${'x'.repeat(150)}`
    await pushLines(installation.origin, name, ['2026-03-01T09:00:00Z ERROR the kettle is cold'])
    const { page, problems } = await installation.openShared()
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto('/logs/diagnose?q=kettle')
    await page.getByRole('group', { name: 'Suggested sources' }).getByRole('button', { name }).waitFor()
    await page.getByRole('heading', { name: 'Summary' }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)

    await page.goto('/logs')
    await page.getByRole('button', { name: 'All time' }).click()
    const range = page.getByRole('dialog', { name: 'Time range' })
    await expect
      .poll(async () => {
        const { y = 0, height = 0 } = (await range.boundingBox()) ?? {}
        return y >= 0 && y + height <= 740
      })
      .toBe(true)

    await page.goto('/logs/sources')
    await page.getByRole('button', { name: `Delete ${name}` }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete a source' })
    await dialog.getByText('The only entry of').waitFor()
    const field = dialog.getByLabel('Type')
    const { x = 0, width = 0 } = (await field.boundingBox()) ?? {}
    expect([x >= 0, x + width <= 360]).toEqual([true, true])
    await field.fill(name)
    await dialog.getByRole('button', { name: 'Delete source' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(problems()).toEqual([])
  })

  test('answers to questions about the systems are saved, lists of lines, too', async () => {
    const { page, problems } = await installation.openShared()
    await page.goto('/logs/context?tab=wizard&step=network')
    const subnets = page.getByLabel('Subnets')
    await subnets.fill('10.0.0.0/8\n192.168.1.0/24')
    await page.getByRole('button', { name: 'Save and go on' }).click()
    await page.getByText('Step 4 of 7').waitFor()
    const facts = page.getByRole('region', { name: 'Facts', exact: true })
    await facts.getByText('192.168.1.0/24').waitFor()
    await page.goBack()
    await expect.poll(() => subnets.inputValue()).toBe('10.0.0.0/8\n192.168.1.0/24')
    // Typed answers stay while other steps are shown, and are applied, too.
    const router = page.getByLabel('Router')
    await router.fill('fritz.box')
    await page.getByRole('button', { name: 'Back', exact: true }).click()
    await page.getByText('Step 2 of 7').waitFor()
    await page.goBack()
    await expect.poll(() => router.inputValue()).toBe('fritz.box')
    await page.getByRole('button', { name: 'Apply answers' }).click()
    await page.getByText(/facts created, 0 changed, 0 removed/).waitFor()
    await page.getByRole('tab', { name: 'Facts' }).click()
    await page.getByRole('table', { name: 'Facts' }).getByText('fritz.box').waitFor()
    expect(problems()).toEqual([])
  })

  browserTest('back leaves the dialogs of a page with it, and those of the shell', async () => {
    const created = await Promise.all(
      ['of the first', 'of the second'].map(async (notes) => {
        const response = await fetch(`${installation.origin}/logs/api/incidents`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ label: 'Twins', started_at: '2026-02-02T09:00:00Z', notes }),
        })
        return ((await response.json()) as { id: string }).id
      }),
    )
    const { page, problems } = await installation.openShared()
    await page.goto(`/logs/incidents/${created[0]}`)
    await page.getByRole('region', { name: 'Similar incidents' }).locator(`a[href$="${created[1]}"]`).click()
    await page.getByText('of the second').first().waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialogs = page.getByRole('dialog')
    await dialogs.waitFor()
    await page.goBack()
    await page.getByText('of the first').first().waitFor()
    await dialogs.waitFor({ state: 'hidden' })
    await page.goForward()
    await page.getByText('of the second').first().waitFor()
    await page.keyboard.press('Control+k')
    await dialogs.waitFor()
    await page.goBack()
    await dialogs.waitFor({ state: 'hidden' })
    // On the link that led away.
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Twins')
    expect(problems()).toEqual([])
  })

  browserTest('a dialog that is opened again has no failure of before', async () => {
    const { page, problems } = await installation.openShared()
    await page.goto('/logs/ssh-targets')
    await page.getByRole('button', { name: 'New target' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New target' })
    expect(await dialog.getByLabel('Label').getAttribute('required')).not.toBeNull()
    for (const [label, text] of [
      ['Label', 'NAS'],
      ['Host', '192.0.2.7'],
      ['User', 'logs'],
      ['Path of the private key', '/nowhere/id_ed25519'],
    ] as const)
      await dialog.getByLabel(label).fill(text)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'New target' }).first().click()
    await dialog.waitFor()
    expect(await dialog.getByRole('alert').count()).toBe(0)
    expect(problems()).toEqual([])
  })

  browserTest('targets are tested one after another, and each shows that it waits', async () => {
    const { page, problems } = await installation.openShared()
    const target = {
      host: '192.0.2.7',
      port: 22,
      user: 'logs',
      key_path: '/keys/id',
      host_key_fingerprint: null,
      last_tested: null,
      last_ok: null,
      last_error: null,
      warnings: [],
    }
    const targets = ['first', 'second'].map((id) => ({ ...target, id, label: id }))
    await answer(page, '/logs/api/ssh-targets', { status: 200, body: JSON.stringify({ ssh_targets: targets }) })
    const tested = { ok: false, latency_ms: 1, host_key_fingerprint: null, error: 'refused' }
    await answer(page, /\/ssh-targets\/[^/]+\/test$/, { status: 200, body: JSON.stringify(tested) })
    const release = await withhold(page, '/logs/api/ssh-targets/first/test')
    await page.goto('/logs/ssh-targets')
    const buttons = page.getByRole('list', { name: 'SSH targets' }).getByRole('button', { name: 'Test' })
    await buttons.first().click()
    await buttons.last().click()
    await expect
      .poll(() => buttons.evaluateAll((all) => all.map((button) => button.getAttribute('aria-busy'))))
      .toEqual(['true', 'true'])
    const second = page.waitForRequest((request) => request.url().endsWith('/ssh-targets/second/test'))
    release()
    await second
    expect(problems()).toEqual([])
  })

  browserTest('a word that no line has is searched as a prefix at a click', async () => {
    const { page } = await installation.openShared()
    await page.goto('/logs?q=refus')
    await page.getByText('Nothing was found.').waitFor()
    await page.getByRole('button', { name: 'Search by meaning, too' }).waitFor()
    await page.getByRole('button', { name: 'Search refus*' }).click()
    await page.getByText('100 found').waitFor()
    expect(await page.getByRole('searchbox', { name: 'Search logs' }).inputValue()).toBe('refus*')
  })

  browserTest('lines of a kind are hidden in place, and come back', async () => {
    const { page } = await installation.openShared()
    await page.goto('/logs?order=time')
    await page.getByText('400 found').waitFor()
    await page.getByRole('tab', { name: 'Templates' }).click()
    await page.getByRole('list', { name: 'Templates' }).getByRole('button', { name: 'Hide' }).first().click()
    await page.getByText('300 found').waitFor()
    await page.getByRole('button', { name: /^Remove not template/ }).click()
    await page.getByText('400 found').waitFor()
  })

  browserTest('lines are walked, chosen, copied, linked and filtered by keys', async () => {
    const texts = logLines(40).split('\n')
    await pushLines(installation.origin, 'keys', texts)
    const { page, context, problems } = await installation.openShared()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const clipboard = () => page.evaluate('navigator.clipboard.readText()')
    const selected = page.locator('[role=row].selected')
    await page.goto('/logs?source=keys&order=time')
    await page.getByText('40 found').waitFor()
    const grid = page.getByRole('grid', { name: 'Log lines' })
    await grid.focus()
    // Newest first: CRITICAL, ERROR, WARN, INFO, and so on.
    await page.keyboard.press('j')
    for (const [key, severity] of [
      ['e', 'ERROR'],
      ['w', 'WARN'],
      ['E', 'ERROR'],
      ['e', 'CRITICAL'],
    ] as const) {
      await page.keyboard.press(key)
      await selected.getByText(severity, { exact: true }).waitFor()
    }
    await page.keyboard.press('c')
    await page.getByText('Line copied').waitFor()
    expect(await clipboard()).toBe(texts[35])

    await page.keyboard.press('Home')
    await page.keyboard.press('x')
    await page.getByText('1 line chosen').waitFor()
    await page.keyboard.press('End')
    await page.keyboard.press('X')
    await page.getByText('40 lines chosen').waitFor()
    await page.keyboard.press('c')
    await page.getByText('40 lines copied').waitFor()
    expect(await clipboard()).toBe(texts.toReversed().join('\n'))
    await page.getByRole('button', { name: 'Copy as JSON' }).click()
    await expect.poll(clipboard).toMatch(/^\{/)
    expect(await violationsInThemes(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('group', { name: 'Chosen lines' }).waitFor({ state: 'detached' })
    await grid.focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByText('3 lines chosen').waitFor()

    await page.keyboard.press('y')
    await page.getByText('Link to the line copied').waitFor()
    const link = String(await clipboard())
    expect(new URL(link).searchParams.get('e')).toBe(new URL(page.url()).searchParams.get('e'))

    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('+')
    await page.waitForURL(/severity=ERROR|severity=WARN/)
    await page.getByText('10 found').waitFor()
    await page.goBack()
    await page.getByText('40 found').waitFor()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('-')
    await page.getByText('30 found').waitFor()
    await page.waitForURL(/not_template=/)

    await page.goto('/logs?source=keys&order=time&q=refused')
    await page.getByText('10 found').waitFor()
    await grid.focus()
    await page.keyboard.press('n')
    await page.keyboard.press('n')
    expect(await selected.getAttribute('aria-rowindex')).toBe('2')
    await page.keyboard.press('N')
    expect(await selected.getAttribute('aria-rowindex')).toBe('1')
    expect(problems()).toEqual([])
  })

  browserTest(
    'long lines are wrapped whole, lines that are alike are one, and columns are left out, all by the address',
    async () => {
      const long = [`long ${'x'.repeat(700)} end`, `宽 ${'漢字'.repeat(120)} end`]
      const alike = Array.from({ length: 12 }, (_, index) => `job ${index + 100} has finished`)
      await pushLines(installation.origin, 'shapes', [...long, ...alike])
      const { page, problems } = await installation.open({ viewport: { width: 1280, height: 800 } })
      await page.goto('/logs?source=shapes&order=time')
      await page.getByText('14 found').waitFor()
      const grid = page.getByRole('grid', { name: 'Log lines' })
      expect(await grid.getAttribute('aria-rowcount')).toBe('14')
      await page.getByRole('button', { name: 'View' }).click()
      await page.getByLabel('Wrap long lines').check()
      await page.getByLabel('Lines in a row that are alike').selectOption('template')
      await grid.getByText('12 alike').waitFor()
      await page.getByLabel('Lines in a row that are alike').selectOption('none')
      await page.locator('[role=grid][aria-rowcount="14"]').waitFor()
      await page.getByLabel('Lines in a row that are alike').selectOption('template')
      await page.getByLabel('Time', { exact: true }).uncheck()
      await page.waitForURL(/wrap=1.*dedupe=template.*cols=severity%2Csource%2Ctext/)
      expect(await violationsInThemes(page)).toEqual([])

      await page.reload()
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 })
        await grid.getByText('12 alike').waitFor()
        expect(await grid.getAttribute('aria-rowcount')).toBe('3')
        await grid.focus()
        await page.keyboard.press('End')
        await expect
          .poll(() =>
            grid
              .locator('[role=row] .text')
              .evaluateAll((texts) => texts.map(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)),
          )
          .toEqual([0, 0, 0])
        const tall = await grid.locator('[role=row]').evaluateAll((rows) => rows.map((row) => row.clientHeight))
        expect(Math.max(...tall)).toBeGreaterThan(100)
      }
      expect(await grid.locator('.time').count()).toBe(0)
      await page.keyboard.press('Escape')

      // What arrives joins the row of its like.
      await page.goto('/logs?source=shapes&live=1&dedupe=template&wrap=1')
      await grid.getByText('12 alike').waitFor()
      await pushLines(installation.origin, 'shapes', ['job 500 has finished', 'job 501 has finished'])
      await grid.getByText('14 alike').waitFor()
      expect(problems()).toEqual([])
    },
  )

  browserTest('a link shows its times in its own zone, until the reader chooses another', async () => {
    await pushLines(installation.origin, 'zones', ['2026-03-01T23:30:00Z ERROR midnight is near'])
    const { page, problems } = await installation.open({ timezoneId: 'Asia/Tokyo' })
    const grid = page.getByRole('grid', { name: 'Log lines' })
    await page.goto('/logs?source=zones')
    await grid.getByText('2026-03-02 08:30:00.000').waitFor()
    await page.goto('/logs?source=zones&tz=utc')
    await grid.getByText('2026-03-01 23:30:00.000').waitFor()
    await page.getByRole('button', { name: 'View' }).click()
    await page.getByLabel('Times').selectOption('Local time')
    await grid.getByText('2026-03-02 08:30:00.000').waitFor()
    await page.waitForURL(/tz=local/)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Appearance and keys' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Times in UTC' }).click()
    await grid.getByText('2026-03-01 23:30:00.000').waitFor()
    await page.waitForURL((url) => !url.searchParams.has('tz'))
    expect(problems()).toEqual([])
  })

  test('live lines arrive in order, are held while the reader has scrolled up, and are all there after', async () => {
    const { page, problems } = await installation.openShared()
    await page.goto('/logs')
    await page.getByRole('button', { name: 'Live' }).click()
    const state = page.getByRole('status').filter({ hasText: 'Following' })
    await state.waitFor()
    const grid = page.getByRole('grid', { name: 'Log lines' })
    await page.locator('[role=grid][aria-rowcount="200"]').waitFor()
    await pushLines(
      installation.origin,
      'live',
      Array.from({ length: 300 }, (_, index) => `line ${index} of the first part`),
    )
    await grid.getByText('line 299 of the first part').waitFor()
    expect(await grid.getAttribute('aria-rowcount')).toBe('500')

    await page.getByRole('button', { name: 'Hold' }).click()
    await pushLines(
      installation.origin,
      'live',
      Array.from({ length: 50 }, (_, index) => `line ${index} of the second part`),
    )
    await page.getByRole('button', { name: '50 new lines' }).waitFor()
    expect(await grid.getByText('line 299 of the first part').isVisible()).toBe(true)
    await page.getByRole('button', { name: '50 new lines' }).click()
    await grid.getByText('line 49 of the second part').waitFor()
    expect(await grid.getAttribute('aria-rowcount')).toBe('550')
    expect(problems()).toEqual([])
  })

  browserTest(
    'markup in a line is text, what would turn it around is a sign, and a line of a megabyte is shown whole in its detail',
    async () => {
      const { page, problems } = await installation.openShared()
      const long = `giant ${'x'.repeat(1_000_000)}`
      await pushLines(installation.origin, 'hostile', [
        '<img src=x onerror=alert(1)><script>alert(2)</script> hostile',
        long,
        'turned \u202egnp.exe',
      ])
      await page.goto('/logs?source=hostile&q=hostile')
      const grid = page.getByRole('grid', { name: 'Log lines' })
      await grid.getByText('<img src=x onerror=alert(1)>').waitFor()
      await page.goto('/logs?source=hostile&q=giant')
      await grid.getByRole('row').first().click()
      const text = page.getByRole('region', { name: 'Text of the entry' })
      expect(await text.textContent()).toBe(long)
      await page.getByRole('button', { name: 'Close entry' }).click()
      await expect.poll(() => grid.evaluate((element) => element.matches(':focus'))).toBe(true)

      await page.goto('/logs?source=hostile&q=turned')
      await grid.getByText('turned ⟨U+202E⟩gnp.exe').click()
      expect(await text.textContent()).toBe('turned ⟨U+202E⟩gnp.exe')
      expect(problems()).toEqual([])
    },
  )

  test('a diagnosis fills as it is found, and its lines are linked', async () => {
    const { page, problems } = await installation.openShared()
    await page.goto('/logs/diagnose')
    await page.getByLabel('What went wrong?').fill('connection refused')
    await page.getByRole('button', { name: 'Diagnose', exact: true }).click()
    await page.getByRole('heading', { name: 'Summary' }).waitFor()
    await page.getByRole('button', { name: 'Make an incident of this' }).waitFor()
    await page.getByText('by rules').waitFor()
    const causes = page.getByRole('region', { name: 'Suspected causes' })
    await causes
      .getByText(/^\d+ % sure$/)
      .first()
      .waitFor()
    await causes
      .getByText(/lines? behind it$/)
      .first()
      .click()
    await causes
      .getByRole('link', { name: /connect\(\) failed/ })
      .first()
      .waitFor()
    await page
      .getByRole('region', { name: 'Timeline' })
      .getByRole('img', { name: /^Volume over time/ })
      .waitFor()
    expect(await violationsInThemes(page)).toEqual([])
    // The question is in the address, and is diagnosed again.
    await page.reload()
    await causes.waitFor()
    expect(await page.getByLabel('What went wrong?').inputValue()).toBe('connection refused')
    await page.getByText('Time zone and language model').click()
    await page.getByLabel('Address of the model').fill('http://127.0.0.1:9/v1')
    const request = page.waitForRequest((sent) => sent.url().endsWith('/logs/api/diagnose/stream'))
    await page.getByRole('button', { name: 'Diagnose', exact: true }).click()
    expect((await request).postDataJSON()).toMatchObject({
      llm: { base_url: 'http://127.0.0.1:9/v1' },
      timezone: 'UTC',
    })
    await page.getByRole('button', { name: 'Make an incident of this' }).waitFor()
    const open = page.locator('details[open]')
    await open
      .getByRole('link', { name: /connect\(\) failed/ })
      .first()
      .click()
    await page.getByRole('region', { name: 'Text of the entry' }).waitFor()
    expect(problems()).toEqual([])
  })

  test('the words of a model appear as it writes them, and without its answer the rules summarize', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    let isBroken = false
    await using model = await serveChat((response) => {
      if (isBroken) {
        response.writeHead(500).end('{}')
        return
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(delta('The upstream of the shop'))
      void released.then(() => response.end(`${delta(' refuses connections.')}${done}`))
    })
    await changeSettings(installation.origin, { llm_base_url: model.baseUrl, llm_model: 'stand-in' })
    const { page, problems } = await installation.openShared()
    await page.goto('/logs/diagnose')
    await page.getByLabel('What went wrong?').fill('connection refused')
    await page.getByRole('button', { name: 'Diagnose', exact: true }).click()
    await page.getByText('The upstream of the shop', { exact: true }).waitFor()
    await page.getByText('more words arrive').waitFor()
    release()
    await page.getByText('The upstream of the shop refuses connections.', { exact: true }).waitFor()
    await page.getByText('by a model').waitFor()
    expect(await violationsInThemes(page)).toEqual([])
    isBroken = true
    await page.getByRole('button', { name: 'Diagnose', exact: true }).click()
    await page.getByText('by rules').waitFor()
    await page.getByText(/^The model's server answered 500\./).waitFor()
    expect(problems()).toEqual([])
    await changeSettings(installation.origin, { llm_base_url: '' })
  })
})

describe.skipIf(!hasBrowser)(`logs behind a key, in a browser${skipped}`, () => {
  const installation = installationOfSuite({
    start: () => startWithPages({ SERVICE_API_KEY: key }),
    seed: (origin) => pushLines(origin, 'shop', logLines(40).split('\n'), key),
  })

  test('a wrong key is refused, the right one opens the page, a reload can read, changes need the key again', async () => {
    const { page, context, problems } = await installation.openShared()
    // The home page leaves the other services to those without the key.
    await page.goto('/home')
    await page.getByText('This installation protects its logs.').waitFor()
    const dialog = page.getByRole('dialog', { name: 'Key of the log service' })
    expect(await dialog.count()).toBe(0)
    await page.getByRole('button', { name: 'Enter the key' }).click()
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await page.goto('/logs')
    await dialog.getByLabel('Key', { exact: true }).fill('a-wrong-key')
    await dialog.getByRole('button', { name: 'Use this key' }).click()
    await dialog.getByText('The API key is wrong.').waitFor()
    await dialog.getByLabel('Key', { exact: true }).fill(key)
    await dialog.getByRole('button', { name: 'Use this key' }).click()
    await page.getByText('40 found').waitFor()

    const [cookie] = await context.cookies(`${installation.origin}/logs/api`)
    expect(cookie).toMatchObject({ name: 'logs_session', httpOnly: true, sameSite: 'Strict', path: '/logs/api' })
    const traces = await page.evaluate(
      'location.href + JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.documentElement.outerHTML',
    )
    expect(traces).not.toContain(key)

    await page.reload()
    await page.getByText('40 found').waitFor()
    await page.getByText('Read-only: enter the key to change things.').waitFor()
    await page.goto('/logs/incidents')
    await page.getByRole('button', { name: 'New incident', disabled: true }).waitFor()
    await page.getByRole('button', { name: 'Enter the key' }).click()
    await dialog.getByLabel('Key', { exact: true }).fill(key)
    await dialog.getByRole('button', { name: 'Use this key' }).click()
    await page.getByRole('button', { name: 'New incident' }).click()
    await page.getByRole('dialog', { name: 'New incident' }).waitFor()
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Appearance and keys' }).click()
    await page.getByRole('menuitem', { name: 'Log out of the log service' }).click()
    await dialog.waitFor()
    expect(await context.cookies(`${installation.origin}/logs/api`)).toEqual([])
    expect(problems()).toEqual([])
  })
})
