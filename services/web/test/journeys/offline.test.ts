import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { seed } from '../screens/seed.ts'
import { settled, violationsInThemes } from '../support/accessible.ts'
import { hasBrowser, skipped } from '../support/browser.ts'
import { installationOfSuite } from '../support/installation.ts'

type Seeded = Awaited<ReturnType<typeof seed>>
type Case = [name: string, path: (seeded: Seeded) => string, controls: readonly (string | RegExp)[]]

/** How long a removal can be undone. */
const undoMilliseconds = 5_000

/** Pages with controls that change something at once, without a dialog in between. */
const cases: readonly Case[] = [
  ['a search of listings', () => '/listings?q=canon+camera', ['Look up seller', 'Block seller', 'Report']],
  [
    'a listing',
    ({ listings: [id] }) => `/listings/item/${id}`,
    ['Look up seller', /^(?:Block|Unblock) seller$/, 'Report'],
  ],
  ['saved searches', () => '/listings/saved', ['Run', /^Delete /, 'Monitor']],
  ['alerts', () => '/listings/alerts', ['Remind me tomorrow', 'Dismiss', 'Dismiss all']],
  ['the blocklist of listings', () => '/listings/blocklist', ['Unblock', 'Choose a CSV file']],
  ['settings of listings', () => '/listings/settings', ['Currency for comparison', 'Share the sellers that I block']],
  ['an incident', ({ incident }) => `/logs/incidents/${incident}`, ['Edit', 'Delete']],
  ['detections', () => '/logs/detections', ['Acknowledge']],
  ['sources', () => '/logs/sources', ['Choose files', /^Delete /, 'Free disk space']],
  ['the blocklist of logs', () => '/logs/blocklist', ['Approve', 'Ignore']],
  ['a studio', ({ chain }) => `/music/chains/${chain}`, ['Commit', 'Discard', 'Continue']],
]

const control = (page: Page, name: string | RegExp) => {
  const main = page.getByRole('main')
  const options = typeof name === 'string' ? { name, exact: true } : { name }
  return main
    .getByRole('button', options)
    .or(main.getByRole('checkbox', options))
    .or(main.getByRole('combobox', options))
    .first()
}

describe.skipIf(!hasBrowser)(`pages without a network${skipped}`, () => {
  let seeded: Seeded
  const installation = installationOfSuite({
    seed: async (origin) => {
      seeded = await seed(origin)
    },
  })

  test.each(cases)(
    '%s: controls that change something are disabled with the reason until the server is back',
    async (_, path, names) => {
      const { page, context } = await installation.openShared()
      await page.goto(path(seeded))
      await settled(page)
      const offline = page.getByText('The server cannot be reached. What you see stays; changes are not possible.')
      for (const name of names)
        await expect.poll(() => control(page, name).isEnabled(), { message: String(name) }).toBe(true)
      await context.setOffline(true)
      await offline.waitFor()
      for (const name of names) {
        const found = control(page, name)
        expect([name, await found.isDisabled(), await found.getAttribute('title')]).toEqual([
          name,
          true,
          'The server cannot be reached.',
        ])
      }
      expect(await violationsInThemes(page)).toEqual([])
      await context.setOffline(false)
      await offline.waitFor({ state: 'detached' })
      for (const name of names)
        await expect.poll(() => control(page, name).isEnabled(), { message: String(name) }).toBe(true)
    },
  )

  const keyCases = [
    {
      what: 'a search of listings',
      path: () => '/listings?q=canon+camera',
      select: async (page: Page) => {
        await control(page, 'Look up seller').waitFor()
        await page.keyboard.press('j')
      },
      keys: ['u', 'b', 'r'],
      command: 'Look up seller',
    },
    {
      what: 'a studio',
      path: ({ chain }: Seeded) => `/music/chains/${chain}`,
      select: (page: Page) => page.getByRole('treeitem').filter({ hasText: 'undecided' }).first().click(),
      keys: ['Enter', 'Delete'],
      command: 'Discard',
    },
  ]
  test.each(keyCases)(
    '$what: keys and commands that change something show the reason of their buttons and send nothing',
    async ({ path, select, keys, command }) => {
      const { page, context } = await installation.openShared()
      const toast = page.getByRole('status').getByText('The server cannot be reached.', { exact: true })
      const dismiss = () => page.getByRole('button', { name: 'Dismiss' }).click()
      await page.goto(path(seeded))
      await settled(page)
      // Loaded when it is first opened.
      const box = page.getByRole('combobox', { name: 'Search for something to do' })
      await page.keyboard.press('Control+k')
      await box.waitFor()
      await page.keyboard.press('Escape')
      await select(page)
      await context.setOffline(true)
      await page.getByText('changes are not possible').waitFor()
      const sent: string[] = []
      page.on('request', (request) => {
        if (request.method() !== 'GET') sent.push(request.url())
      })
      for (const key of keys) {
        await page.evaluate('document.activeElement.blur()')
        await page.keyboard.press(key)
        await toast.waitFor()
        await dismiss()
      }
      await page.keyboard.press('Control+k')
      await box.fill(command)
      const option = page.getByRole('option', { name: command, disabled: true }).first()
      await option.getByText('The server cannot be reached.').waitFor()
      await page.keyboard.press('Enter')
      await toast.waitFor()
      expect(sent).toEqual([])
    },
  )

  test('a row that is to be removed stays, as does one whose removal did not reach the server', async () => {
    const { page, context } = await installation.open()
    await page.clock.install()
    await page.goto('/listings/saved')
    const row = page.getByRole('main').getByText('ThinkPad', { exact: true })
    await row.waitFor()
    await page.getByRole('button', { name: 'Delete ThinkPad' }).click()
    await row.waitFor({ state: 'detached' })
    await context.setOffline(true)
    await page.clock.fastForward(undoMilliseconds)
    await row.waitFor()
    // It is not `disabled` in HTML, so that it explains itself to those who press it.
    await page.getByRole('button', { name: 'Delete ThinkPad' }).click({ force: true })
    await page.getByText('The server cannot be reached.', { exact: true }).waitFor()
    expect(await row.isVisible()).toBe(true)
    await context.close()
  })

  test('a part that cannot be loaded without a network shows a calm note, and loads with it', async () => {
    const { page, context } = await installation.openShared()
    await page.goto('/logs')
    await settled(page)
    await context.setOffline(true)
    await page.getByText('changes are not possible').waitFor()
    await page.getByRole('searchbox', { name: 'Search logs' }).fill('refused')
    await page.getByRole('main').getByRole('button', { name: 'Search', exact: true }).click()
    const alert = page.getByRole('alert').filter({ hasText: 'The search failed.' })
    await alert.waitFor()
    expect(await alert.textContent()).toContain('The server cannot be reached.')
    await context.setOffline(false)
    await alert.waitFor({ state: 'detached' })
    await page.getByText(/found in .* ms/).waitFor()
  })

  test('an answer from a cache does not count as the server', async () => {
    const { page, context } = await installation.openShared()
    await page.goto('/listings/saved')
    await settled(page)
    const navigation = page.getByRole('navigation', { name: 'Listings' })
    await navigation.getByRole('link', { name: 'Alerts' }).click()
    await settled(page)
    await context.setOffline(true)
    const offline = page.getByText('changes are not possible')
    await offline.waitFor()
    await context.route('**/listings/api/saved**', (route) => route.fulfill({ json: { saved_searches: [] } }))
    await page.evaluate(`
      window.hasReturned = false
      new MutationObserver(() => {
        window.hasReturned ||= !document.body.textContent.includes('changes are not possible')
      }).observe(document.body, { subtree: true, childList: true, characterData: true })
    `)
    const probed = page.waitForRequest(/\/health$/)
    const answered = page.waitForResponse(/\/listings\/api\/saved/)
    await navigation.getByRole('link', { name: 'Saved' }).click()
    await Promise.all([answered, probed])
    expect([await offline.isVisible(), await page.evaluate('window.hasReturned')]).toEqual([true, false])
  })

  test('a waveform that is not loaded without a network is an empty track with a note, and loads with it', async () => {
    const { page, context } = await installation.openShared()
    const severed = Promise.withResolvers<void>()
    await page.route(/\/peaks\?/, async (route) => {
      await severed.promise
      await route.abort('internetdisconnected')
    })
    await page.goto(`/music/chains/${seeded.chain}`)
    const position = page.getByRole('slider', { name: 'Position' })
    await position.getByText('The waveform is loading …').waitFor()
    await context.setOffline(true)
    severed.resolve()
    await position.getByText('The waveform is not loaded.').waitFor()
    const described = `document.querySelector('[aria-label=Position]').getAttribute('aria-describedby')`
    expect(await page.evaluate(`document.getElementById(${described}).textContent`)).toBe('The waveform is not loaded.')
    expect(await violationsInThemes(page)).toEqual([])
    await page.unroute(/\/peaks\?/)
    await context.setOffline(false)
    await position.getByText('The waveform').waitFor({ state: 'detached' })
    expect(await page.evaluate(described)).toBeNull()
  })

  test('a live tail without a network does not claim to follow', async () => {
    const { page, context } = await installation.openShared()
    await page.goto('/logs?live=1')
    await page.getByRole('status').filter({ hasText: 'Following' }).waitFor()
    await context.setOffline(true)
    await page.getByRole('status').filter({ hasText: 'Interrupted: the server cannot be reached' }).waitFor()
    await context.setOffline(false)
    await page.getByRole('status').filter({ hasText: 'Following' }).waitFor()
  })
})
