import type { Page } from 'playwright-core'

type Shift = { score: number; moved: string[] }

/** Runs in the page. */
const observer = `
  window.layoutShifts = []
  const startOf = (node) => (node instanceof Element ? node.outerHTML : node?.textContent ?? '').slice(0, 120)
  new PerformanceObserver((list) =>
    list.getEntries().forEach(({ hadRecentInput, value, sources }) => {
      if (!hadRecentInput) window.layoutShifts.push({ score: value, moved: sources.map(({ node }) => startOf(node)) })
    }),
  ).observe({ type: 'layout-shift', buffered: true })
`

/** The greatest cumulative layout shift while a page loads. */
export const maxLayoutShift = 0.02

const observed = new WeakSet<Page>()

/** Observes what moves on the pages that are opened from now on. The result reads the shifts of the current one. */
export const observeLayoutShifts = async (page: Page): Promise<() => Promise<Shift[]>> => {
  // A second script would count each shift twice.
  if (!observed.has(page)) await page.addInitScript(observer)
  observed.add(page)
  return async () => JSON.parse(await page.evaluate('JSON.stringify(window.layoutShifts)')) as Shift[]
}
