import { describe, expect, test } from 'vitest'
import { hasBrowser, skipped } from '../support/browser.ts'
import { installationOfSuite } from '../support/installation.ts'
import { pushLines } from '../support/log-lines.ts'

const total = 100_000
const perBatch = 500
const copied = 5_000
/** Time for the lines, in milliseconds: ample, as they take a minute beside other tests. */
const takesLong = 600_000
const textOf = (index: number) => `line ${String(index).padStart(6, '0')} of many, GET /products/${index % 977} 200`

describe.skipIf(!hasBrowser)(`many lines in a browser${skipped}`, () => {
  const installation = installationOfSuite()

  test(
    '100,000 live lines are all counted, held while a reader has stopped, and copied as they were sent',
    async () => {
      const { page, context, problems } = await installation.open()
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.goto('/logs?live=1')
      await page.getByRole('status').filter({ hasText: 'Following' }).waitFor()
      const push = async (from: number, to: number) => {
        for (let first = from; first < to; first += perBatch)
          await pushLines(
            installation.origin,
            'load',
            Array.from({ length: perBatch }, (_, index) => textOf(first + index)),
          )
      }
      const grid = page.getByRole('grid', { name: 'Log lines' })
      const counted = async () => Number(await grid.getAttribute('aria-rowcount'))

      await push(0, total / 2)
      await grid.getByText(textOf(total / 2 - 1)).waitFor()
      expect(await counted()).toBe(total / 2)

      await page.getByRole('button', { name: 'Hold' }).click()
      await push(total / 2, total)
      await page.getByRole('button', { name: `${(total / 2).toLocaleString('en')} new lines` }).waitFor()
      expect(await grid.getByText(textOf(total / 2 - 1)).isVisible()).toBe(true)
      expect(await counted()).toBe(total)
      await page.getByText(`${total.toLocaleString('en')} lines · 0 missed`).waitFor()

      await page.getByRole('button', { name: 'Follow' }).click()
      await grid.getByText(textOf(total - 1)).waitFor()
      await grid.focus()
      await page.keyboard.press('Home')
      await grid.getByText(textOf(0)).click()
      await page.keyboard.press('x')
      const rowHeight = 26
      await grid.evaluate((list, top) => list.scrollTo({ top }), rowHeight * (copied - 5))
      await page.locator(`[role=row][aria-rowindex="${copied}"]`).click({ modifiers: ['Shift'] })
      await page.keyboard.press('c')
      await page.getByText(`${copied.toLocaleString('en')} lines copied`).waitFor()
      const clipboard = String(await page.evaluate('navigator.clipboard.readText()'))
      expect(clipboard.split('\n')).toEqual(Array.from({ length: copied }, (_, index) => textOf(index)))
      expect(problems()).toEqual([])
    },
    takesLong,
  )
})
