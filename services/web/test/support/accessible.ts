import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { runSeed, sample } from '@trellis/test/support/exploration'
import { form } from '@trellis/test/support/trellis'
import type { Page } from 'playwright-core'

type Violation = { id: string; help: string; nodes: { html: string; failureSummary: string }[] }

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Only violations are reported, with their HTML: the details of what is right take a sixth of the time on a page with many results. */
const axeOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
  selectors: false,
}
/** Of a long list its first items and every eighth of the others, drawn for the run: the items of 60 results take four times as long as the rest of their page. */
const axeContext = { exclude: [`:is(li, tr, [role=row]):nth-child(n+7):not(:nth-child(8n+${runSeed % 8}))`] }
const axeRun = `axe.run(${JSON.stringify(axeContext)}, ${JSON.stringify(axeOptions)}).then(({ violations }) => violations)`

/** What axe finds wrong with a page, as lines with places. */
export const violationsOf = async (page: Page): Promise<string[]> => {
  // Through the debugger, which the page's policy does not concern.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(await axeSource)
  const violations = (await page.evaluate(axeRun)) as Violation[]
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html.slice(0, 200)}\n${failureSummary}`),
  )
}

/** The themes in which a page is checked: one of them in a run, drawn for each page. */
export const drawnThemes = (page: string): ('dark' | 'light')[] =>
  sample(['dark', 'light'] as const, 1, `theme ${page}`)

/**
 * What axe finds wrong with a page as it stands, in the themes that are drawn for it. On the embedded form only: the pages of a journey are the same on
 * both.
 */
export const violationsInThemes = async (page: Page): Promise<string[]> => {
  if (form === 'distributed') return []
  const found: string[] = []
  // Where a page is scrolled, axe takes what is partly behind the sticky bar for too small.
  await page.evaluate('scrollTo(0, 0)')
  for (const colorScheme of drawnThemes(new URL(page.url()).pathname)) {
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
