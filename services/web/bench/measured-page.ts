import type { CDPSession, Page } from 'playwright-core'
import type { TestBrowser } from '../test/support/browser.ts'

/** Observes paints, shifts and the delay of inputs from the first moment of a page. */
const observe = `
  window.measured = { paint: 0, largest: 0, shifts: 0, inputs: [] }
  const on = (type, take, more = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, ...more })
  on('paint', (entry) => { if (entry.name === 'first-contentful-paint') window.measured.paint = entry.startTime })
  on('largest-contentful-paint', (entry) => { window.measured.largest = entry.startTime })
  on('layout-shift', (entry) => { if (!entry.hadRecentInput) window.measured.shifts += entry.value })
  on('event', (entry) => { if (entry.interactionId) window.measured.inputs.push(entry.duration) }, { durationThreshold: 16 })
`

export type Figures = { paint: number; largest: number; shifts: number; inputs: number[] }

export type MeasuredPage = AsyncDisposable & {
  page: Page
  session: CDPSession
  figures: () => Promise<Figures>
  /** Milliseconds of the main thread's own time since the page was opened: what else runs on the machine is not in it. */
  mainThread: () => Promise<number>
}

export const openMeasured = async (browser: TestBrowser, origin: string, slowdown = 1): Promise<MeasuredPage> => {
  const { page, context } = await browser.open(origin, { viewport: { width: 1280, height: 900 } })
  await page.addInitScript(observe)
  const session = await context.newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  if (slowdown > 1) await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  return {
    page,
    session,
    figures: async () => JSON.parse(await page.evaluate('JSON.stringify(window.measured)')) as Figures,
    mainThread: async () => {
      const { metrics } = await session.send('Performance.getMetrics')
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000
    },
    [Symbol.asyncDispose]: () => context.close(),
  }
}

/** The value below which a share of the values lies. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN
