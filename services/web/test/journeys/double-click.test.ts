import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { settled } from '../support/accessible.ts'
import { withhold } from '../support/answer.ts'
import { hasBrowser, skipped } from '../support/browser.ts'
import { installationOfSuite } from '../support/installation.ts'

/** Clicks twice at the place that a control has before, the second time when what the first has done is there. */
const clickTwice = async (page: Page, control: Locator, afterFirst: () => Promise<unknown>): Promise<void> => {
  const box = await control.boundingBox()
  if (box === null) throw new Error('The control is not seen.')
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
  await afterFirst()
  await page.mouse.down({ clickCount: 2 })
  await page.mouse.up({ clickCount: 2 })
}

describe.skipIf(!hasBrowser)(`double clicks${skipped}`, () => {
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
})
