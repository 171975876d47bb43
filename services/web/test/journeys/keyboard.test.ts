import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasBrowser, skipped } from '../support/browser.ts'
import { installationOfSuite } from '../support/installation.ts'
import { logLines, pushLines } from '../support/log-lines.ts'

/** More than any page has between two places of a journey. */
const maxTabs = 120

/** What has the focus, and whether that can be seen: a ring around it, or a text cursor in it. */
const focused = async (page: Page): Promise<{ name: string; isVisible: boolean }> =>
  JSON.parse(
    await page.evaluate(`(() => {
      const element = document.activeElement
      const style = getComputedStyle(element)
      const label = element.labels?.[0]?.textContent
      return JSON.stringify({
        name: (element.getAttribute('aria-label') ?? label ?? element.textContent).trim(),
        isVisible: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0,
      })
    })()`),
  )

/** Tabs to a control by its name, and finds that the focus can be seen on the way. */
const tabTo = async (page: Page, name: string | RegExp): Promise<void> => {
  const isThere = (text: string) => (typeof name === 'string' ? text === name : name.test(text))
  const passed: string[] = []
  for (let tab = 0; tab < maxTabs; tab += 1) {
    await page.keyboard.press('Tab')
    const { name: text, isVisible } = await focused(page)
    expect(isVisible, `The focus on "${text}" cannot be seen.`).toBe(true)
    if (isThere(text)) return
    passed.push(text.slice(0, 30))
  }
  throw new Error(`Nothing called ${name} can be reached: ${passed.join(', ')}`)
}

const headingHasFocus = async (page: Page, name: string | RegExp): Promise<void> => {
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1')
}

/** Goes to a page and waits for its content: until that has loaded, Tab leads from the banner to the end of the document. */
const goTo = async (page: Page, path: string): Promise<void> => {
  await page.goto(path)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

/** On the embedded form only: keys send the requests of buttons, which the other journeys press on both forms. */
describe.skipIf(!hasBrowser)(`without a mouse${skipped}`, () => {
  const installation = installationOfSuite({
    seed: (origin) => pushLines(origin, 'shop', logLines(80).split('\n')),
  })

  test('listings are searched, chosen, compared, and a seller is blocked', async () => {
    const { page, context, problems } = await installation.openShared()
    await goTo(page, '/home')
    await page.keyboard.press('Tab')
    expect(await focused(page)).toEqual({ name: 'Skip to content', isVisible: true })
    await tabTo(page, 'Search listings')
    await page.keyboard.type('canon camera')
    await page.keyboard.press('Enter')
    await headingHasFocus(page, 'Search listings')
    await page.getByText(/\d+ results/).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' })

    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
    await page.keyboard.press('y')
    await page.getByText('Link to the listing copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
      `${installation.origin}/listings/item/${new URL(page.url()).searchParams.get('sel')}`,
    )
    await page.keyboard.press('c')
    await page.getByText('Listing copied', { exact: true }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/\n[\d.]+ [A-Z]{3}\nhttps?:/)
    await page.waitForURL(/pick=\d+%2C\d+/)
    await page.keyboard.press('m')
    await headingHasFocus(page, 'Compare listings')
    await expect.poll(() => page.getByRole('table', { name: 'Comparison' }).locator('thead th').count()).toBe(2)
    await page.goBack()
    await headingHasFocus(page, 'Search listings')
    await page.getByText(/\d+ results/).waitFor()

    // On a button, Enter presses the button, and does not open the selected listing.
    await tabTo(page, /^Table$/)
    await page.keyboard.press('Enter')
    await page.getByRole('table', { name: 'Listings' }).waitFor()
    for (let row = 0; row < 30; row += 1) await page.keyboard.press('j')
    const selected = page.locator('tr[aria-current]')
    await expect.poll(() => selected.evaluate((element) => element.getBoundingClientRect().bottom)).toBeLessThan(800)
    expect(await selected.evaluate((element) => element.getBoundingClientRect().top)).toBeGreaterThan(0)
    expect(await selected.evaluate((element) => element.sectionRowIndex)).toBeGreaterThan(25)
    await page.keyboard.press('v')
    await page.getByRole('list', { name: 'Listings' }).waitFor()
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Why it scores this' }).waitFor()
    await page.keyboard.press('b')
    const dialog = page.getByRole('dialog', { name: 'Block seller' })
    await dialog.waitFor()
    await expect.poll(async () => (await focused(page)).name).toBe('Reason')
    await page.keyboard.type('Never sent')
    await tabTo(page, 'Block seller')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    await page.getByText('on the blocklist', { exact: true }).waitFor()
    // The same key takes it back, as the button does.
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keys' })
    await keys.getByText('Unblock seller').waitFor()
    await page.keyboard.press('Escape')
    await keys.waitFor({ state: 'hidden' })

    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search for something to do' }).waitFor()
    await page.keyboard.type('blocklist')
    await page.keyboard.press('Enter')
    await headingHasFocus(page, 'Blocklist')
    const row = page.getByRole('table', { name: 'Blocked sellers' }).getByRole('row', { name: 'Never sent' })
    await row.waitFor()
    await tabTo(page, /^Id at the marketplace/)
    await page.keyboard.type('  ')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.validationMessage')).toBe('Please enter more than spaces.')
    await page.keyboard.type('last-one')
    await page.keyboard.press('Enter')
    await page.getByText('2 sellers').waitFor()
    await row.getByRole('button', { name: 'Unblock' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await focused(page)).name).toMatch(/^last-one/)
    await tabTo(page, 'Unblock')
    await page.keyboard.press('Enter')
    await page.getByText('No seller is blocked.').waitFor()
    await headingHasFocus(page, 'Blocklist')
    expect(problems()).toEqual([])
  })

  test('logs are searched, read line by line, and saved as an incident', async () => {
    const { page, problems } = await installation.openShared()
    await goTo(page, '/home')
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    await headingHasFocus(page, 'Search logs')
    await page.keyboard.press('/')
    await page.keyboard.type('refused')
    await page.keyboard.press('Enter')
    await page.getByText('20 found').waitFor()
    await tabTo(page, 'Log lines')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('j')
    await page.getByRole('region', { name: 'Text of the entry' }).waitFor()
    await page.keyboard.press('t')
    await page.getByText('Context: 20 before').waitFor()
    await page.keyboard.press('i')
    const dialog = page.getByRole('dialog', { name: 'New incident' })
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect((await focused(page)).name).toBe('Log lines')
    await page.keyboard.press('i')
    await dialog.waitFor()
    // A key that comes before the browser's event of the closing opens it once more.
    await page.evaluate(`(async () => {
      document.querySelector('dialog[open]').requestClose()
      for (let turn = 0; turn < 10; turn++) await Promise.resolve()
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'i', bubbles: true }))
      for (let task = 0; task < 3; task++) await new Promise((resolve) => setTimeout(resolve))
    })()`)
    expect(await dialog.isVisible()).toBe(true)
    // A form begins with its first field.
    await expect.poll(async () => (await focused(page)).name).toBe('Label')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('Upstream refuses')
    await page.keyboard.press('Enter')
    await headingHasFocus(page, 'Upstream refuses')
    // A button that another one replaces.
    await tabTo(page, 'Resolve')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Open again' }).waitFor()
    await headingHasFocus(page, 'Upstream refuses')
    expect(problems()).toEqual([])
  })

  test('a tune is continued, heard, committed, discarded and exported', async () => {
    const { page, problems } = await installation.openShared()
    await goTo(page, '/home')
    await page.getByRole('button', { name: 'Continue an example tune' }).waitFor()
    await tabTo(page, 'Continue an example tune')
    await page.keyboard.press('Enter')
    await headingHasFocus(page, 'Example tune')
    await page.getByRole('form', { name: 'Continue' }).waitFor()
    await tabTo(page, 'Position')
    await page.keyboard.press('End')
    await tabTo(page, 'Seconds')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('3')
    await page.keyboard.press('Enter')
    const [first, second] = [1, 2].map((take) => page.getByRole('treeitem', { name: `Take ${take}` }))
    await second?.getByText('undecided').waitFor()
    await first?.getByText('undecided').waitFor()

    // Back from the form to the tree, which is one stop.
    for (let tab = 0; tab < maxTabs && !(await focused(page)).name.startsWith('Upload'); tab += 1)
      await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('ArrowRight')
    expect((await focused(page)).name).toMatch(/^Take 1/)
    expect(await first?.getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('s')
    await page.getByRole('button', { name: 'Stop seam' }).waitFor()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Stop seam' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await page.getByText('the upload and 1 committed take', { exact: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    expect((await focused(page)).name).toMatch(/^Take 2/)

    // Space on a button presses the button, and Enter does not commit what is selected.
    await tabTo(page, 'Discard')
    await page.keyboard.press('Enter')
    await second?.getByText('discarded').waitFor()
    await expect.poll(async () => (await focused(page)).name).toMatch(/^Take 2/)
    expect(await second?.getAttribute('aria-selected')).toBe('true')
    await page.getByText('the upload and 1 committed take', { exact: true }).waitFor()

    await page.keyboard.press('E')
    const dialog = page.getByRole('dialog', { name: 'Export the spine' })
    await dialog.waitFor()
    const downloading = page.waitForEvent('download')
    await tabTo(page, 'Export')
    await page.keyboard.press('Enter')
    expect((await downloading).suggestedFilename()).toBe('Example tune.wav')
    await dialog.waitFor({ state: 'hidden' })
    expect(problems()).toEqual([])
  })

  test('a key whose action cannot be used shows the reason of its button, and so does the palette', async () => {
    const { page, problems } = await installation.openShared()
    const toast = (text: string) => page.getByRole('status').getByText(text, { exact: true })
    await goTo(page, '/listings')
    const save = page.getByRole('button', { name: 'Save search', disabled: true })
    await save.waitFor()
    expect(await save.getAttribute('title')).toBe('Search first.')
    // Its key works once the page has loaded what its keys do, which is when the browser is idle.
    const pressed = async () => {
      await page.keyboard.press('s')
      return toast('Search first.').count()
    }
    await expect.poll(pressed).toBe(1)
    // The second press announces it again and does not add a second toast.
    await page.keyboard.press('s')
    expect(await toast('Search first.').count()).toBe(1)

    await goTo(page, '/logs')
    await page.getByText('80 found').waitFor()
    await page.getByRole('grid', { name: 'Log lines' }).waitFor()
    await page.keyboard.press('t')
    await toast('Select a line first.').waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click()

    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search for something to do' }).waitFor()
    await page.keyboard.type('context of')
    const option = page.getByRole('option', { name: /Context of the entry/, disabled: true })
    await option.getByText('Select a line first.').waitFor()
    await page.keyboard.press('Enter')
    await toast('Select a line first.').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)

    // Keys that the browser uses itself show no reason when there is nothing to close or to hold.
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.evaluate('document.activeElement.blur()')
    for (const key of ['Escape', 'Space']) await page.keyboard.press(key)
    await page.keyboard.press('Alt+t')
    await toast('Theme: light').waitFor()
    expect(await page.locator('.toast').count()).toBe(1)
    expect(problems()).toEqual([])
  })

  test('the list of keys is a key away, and dialogs give the focus back', async () => {
    const { page, problems } = await installation.openShared()
    await goTo(page, '/listings')
    await tabTo(page, 'Search')
    await page.keyboard.press('?')
    // The keys of the page join those of the shell when they are loaded.
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Block seller').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(async () => (await focused(page)).name).toBe('Search')
    await page.keyboard.press('Alt+t')
    await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('light')
    expect(problems()).toEqual([])
  })
})
