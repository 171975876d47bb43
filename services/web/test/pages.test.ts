import { runSeed } from '@trellis/test/support/exploration'
import { describe, expect, test } from 'vitest'
import { everyPage } from './every-page.ts'
import { drawnThemes, settled, violationsOf } from './support/accessible.ts'
import { answer } from './support/answer.ts'
import { hasBrowser, skipped } from './support/browser.ts'
import { installationOfSuite } from './support/installation.ts'
import { maxLayoutShift, observeLayoutShifts } from './support/layout-shift.ts'
import { logLines, pushLines } from './support/log-lines.ts'

/** Spaces text as readers may (WCAG 2.2, 1.4.12). By a constructed style sheet, because the policy of the app allows no others. */
const spaceText = `(() => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important } p { margin-bottom: 2em !important }')
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
})()`

describe.skipIf(!hasBrowser)(`every page${skipped}`, () => {
  const installation = installationOfSuite({
    seed: async (origin) => {
      await pushLines(origin, 'shop', logLines(200).split('\n'))
      const incident = {
        label: 'Checkout fails',
        started_at: '2026-03-01T09:00:00Z',
        query: 'refused',
        severity: 'ERROR',
      }
      const headers = { 'content-type': 'application/json' }
      await fetch(`${origin}/logs/api/incidents`, { method: 'POST', headers, body: JSON.stringify(incident) })
    },
  })

  test.each(everyPage)(
    `%s is accessible in its themes, has no errors, does not move while it loads and fits narrow screens (TEST_SEED=${runSeed})`,
    async (path) => {
      for (const colorScheme of drawnThemes(path)) {
        const { page, problems } = await installation.openShared()
        await page.emulateMedia({ colorScheme })
        const readShifts = await observeLayoutShifts(page)
        await page.goto(path)
        await settled(page)
        const shifts = await readShifts()
        const total = shifts.reduce((sum, { score }) => sum + score, 0)
        expect(total, JSON.stringify(shifts)).toBeLessThan(maxLayoutShift)
        expect(await violationsOf(page), `${path} ${colorScheme}`).toEqual([])
        expect(await page.locator('h1').count()).toBe(1)
        for (const role of ['banner', 'main'] as const) expect(await page.getByRole(role).count()).toBe(1)
        expect(await page.getByRole('navigation').count()).toBeGreaterThan(0)
        expect(await page.title()).toMatch(/ · Trellis$/)
        // 320 pixels are what a screen of 1280 has at a zoom of 400 % (WCAG 2.2, 1.4.10).
        for (const arrange of [undefined, spaceText]) {
          if (arrange) await page.evaluate(arrange)
          for (const width of [360, 320]) {
            await page.setViewportSize({ width, height: 740 })
            await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
          }
        }
        expect(problems()).toEqual([])
      }
    },
  )

  test('numbers in the millions fit into the tiles of the overview on a screen of 360 pixels', async () => {
    const { page } = await installation.openShared()
    const stats = { window_hours: 24, critical_count: 1_234_567, error_count: 12_345_678, warn_count: 123_456_789 }
    const body = JSON.stringify({ ...stats, sources: [], recent_criticals: [] })
    const restore = await answer(page, '/logs/api/stats', { status: 200, body })
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto('/logs/overview')
    const tiles = page.getByRole('link', { name: /^\d{1,3}(,\d{3}){2} (CRITICAL|ERROR|WARN)$/ })
    await expect.poll(() => tiles.count()).toBe(3)
    const overflows = () =>
      tiles.evaluateAll((found) =>
        found.flatMap((tile) => [tile, ...tile.children].map((part) => part.scrollWidth - part.clientWidth)),
      )
    expect(new Set(await overflows())).toEqual(new Set([0]))
    await page.evaluate(spaceText)
    expect(new Set(await overflows())).toEqual(new Set([0]))
    await restore()
  })

  test('forced colours show what is chosen and disabled, scores, hits and the play head', async () => {
    const { page } = await installation.open({ forcedColors: 'active' })
    /** The distinct colours of a property, without their opacity, of the shown elements that a selector finds. */
    const colorsOf = async (selector: string, property: string) => {
      const values = await page.evaluate<string[]>(
        `[...document.querySelectorAll('main ${selector}, header ${selector}')].map((element) => getComputedStyle(element).getPropertyValue('${property}'))`,
      )
      return [...new Set(values.map((value) => value.match(/\d+, \d+, \d+/)?.[0] ?? value))]
    }
    const differ = async (property: string, one: string, other: string) => {
      const [ones, others] = [await colorsOf(one, property), await colorsOf(other, property)]
      expect([ones, others].map((values) => values.length > 0)).toEqual([true, true])
      expect(
        ones.filter((value) => others.includes(value)),
        `${property} of ${one} and of ${other}`,
      ).toEqual([])
    }
    await page.goto('/logs?q=refused')
    await settled(page)
    await page.getByRole('button', { name: 'Table' }).click()
    const background = 'background-color'
    await differ('border-bottom-color', '[role=tab][aria-selected=true]', '[role=tab][aria-selected=false]')
    await differ(background, 'nav a[aria-current]', 'nav a:not([aria-current])')
    await differ(background, 'button[aria-pressed=true]', 'button[aria-pressed=false]')
    await differ(background, 'mark', '[role=gridcell]')
    await page.goto('/listings?q=camera')
    await settled(page)
    await differ(background, '.score .sure', '.score')
    await page.goto('/home')
    await page.getByRole('button', { name: 'Continue an example tune' }).click()
    await page.getByRole('slider').waitFor()
    await differ(background, '.wave .head', '.wave')
    await differ('color', 'button[aria-disabled=true]', 'button:not([aria-disabled=true], .primary)')
  })

  test('the table of templates fits a screen of 360 pixels, and long labels of buttons wrap at 320', async () => {
    const { page } = await installation.openShared()
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto('/logs/templates?since=2020-01-01T00:00:00Z')
    const table = page.getByRole('region', { name: 'Templates' })
    await table.getByRole('link').first().waitFor()
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    await page.setViewportSize({ width: 320, height: 740 })
    const button = page.getByRole('button', { name: 'Search', exact: true })
    await button.evaluate((element) => (element.textContent = 'a label of several words '.repeat(4)))
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
  })

  test('the details of an entry, an incident and a template are accessible, and so are dialogs', async () => {
    const { page, problems } = await installation.openShared()
    await page.goto('/logs?q=refused')
    await page.getByRole('grid', { name: 'Log lines' }).getByRole('row').first().click()
    await page.getByRole('region', { name: 'Entry', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Context', exact: true }).click()
    await page.getByText('Context: 20 before').waitFor()
    await settled(page)
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Add to incident' }).click()
    await page.getByRole('dialog', { name: 'New incident' }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.goto('/logs/incidents')
    await page.getByRole('link', { name: 'Checkout fails' }).click()
    await page.getByRole('heading', { level: 1, name: 'Checkout fails' }).waitFor()
    await settled(page)
    expect(await violationsOf(page)).toEqual([])
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search for something to do' }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    expect(problems()).toEqual([])
  })

  test('a page that is left requests nothing with the state of the next page', async () => {
    const { page, context } = await installation.open()
    const requested: string[] = []
    page.on('request', (request) => requested.push(new URL(request.url()).pathname))
    const pages = page.getByRole('navigation', { name: 'Logs pages' })
    await page.goto('/logs?q=refused')
    await page.getByRole('grid', { name: 'Log lines' }).waitFor()
    await settled(page)
    requested.length = 0
    await pages.getByRole('link', { name: 'Incidents' }).click()
    await page.getByRole('link', { name: 'Checkout fails' }).click()
    await page.getByRole('heading', { level: 1, name: 'Checkout fails' }).waitFor()
    await settled(page)
    expect(requested).toContain('/logs/api/incidents')
    expect(requested).not.toContain('/logs/api/search')
    requested.length = 0
    await pages.getByRole('link', { name: 'Bundles' }).click()
    await page.getByRole('heading', { level: 1, name: 'Bundles' }).waitFor()
    await settled(page)
    expect(requested).toContain('/logs/api/bundles')
    expect(requested.filter((path) => path.startsWith('/logs/api/incidents'))).toEqual([])
    await context.close()
  })

  test('a page that does not exist says so and leads home', async () => {
    const { page } = await installation.openShared()
    await page.goto('/logs/no-such-page')
    await page.getByText('There is no page at /logs/no-such-page.').waitFor()
    await page.getByRole('link', { name: 'Go home' }).click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/home')
  })
})
