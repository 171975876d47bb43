import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

type Violation = { id: string; help: string; nodes: { html: string; failureSummary: string }[] }

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const axeRun = `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(({ violations }) => violations)`

/** What axe finds wrong with a page, as lines that say where. */
export const violationsOf = async (page: Page): Promise<string[]> => {
  // Through the debugger, which the page's policy does not concern.
  await page.evaluate(await axeSource)
  const violations = (await page.evaluate(axeRun)) as Violation[]
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html.slice(0, 200)}\n${failureSummary}`),
  )
}

/** What axe finds wrong with a page as it stands, in both themes. */
export const violationsInBothThemes = async (page: Page): Promise<string[]> => {
  const found: string[] = []
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await violationsOf(page)).map((line) => `${colorScheme}: ${line}`))
  }
  return found
}

/** Resolves when a page has its heading and loads nothing. */
export const settled = async (page: Page): Promise<void> => {
  await page.locator('main h1').waitFor()
  await page.locator('main [aria-busy=true], main .skeleton').first().waitFor({ state: 'detached' })
}
