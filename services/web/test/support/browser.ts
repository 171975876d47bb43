import { chromiumMissing, chromiumOptions } from '@trellis/test/support/chromium'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

/** For the names of suites that are skipped without a browser. */
export const skipped = chromiumMissing === '' ? '' : ` (skipped: ${chromiumMissing})`
export const hasBrowser = chromiumMissing === ''

export type Opened = { page: Page; context: BrowserContext; problems: () => string[] }

export type TestBrowser = AsyncDisposable & {
  majorVersion: string
  /** Opens a page of an origin in a context of its own, and collects errors and violations of its policy. */
  open: (origin: string, options?: BrowserContextOptions) => Promise<Opened>
}

/** Time for what a page shows. Ample, so that a busy machine fails no test: a generation beside other tests takes a minute. */
const ampleMilliseconds = 120_000

/**
 * Text of a network change on this machine, which other tests cause; pages send such requests again. And of a header that browsers only apply to
 * HTTPS and loopback addresses.
 */
const harmless = /ERR_NETWORK_CHANGED|Cross-Origin-Opener-Policy header has been ignored/

const watch = (page: Page, problems: string[]): void => {
  page.on('pageerror', (error) => problems.push(`error: ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    const text = message.text()
    // Statuses that a test provokes are reported by the browser, too.
    const isStatus = text.startsWith('Failed to load resource')
    if (message.type() === 'error' && !isStatus && !harmless.test(text)) problems.push(`console: ${text}`)
  })
}

/** Starts a browser, in the environment of this process or in another one. */
export const launchBrowser = async (environment?: Record<string, string>): Promise<TestBrowser> => {
  const browser: Browser = await chromium.launch({
    executablePath: chromiumOptions.executable,
    chromiumSandbox: chromiumOptions.hasSandbox,
    args: ['--font-render-hinting=none', '--disable-lcd-text'],
    ...(environment && { env: environment }),
  })
  return {
    majorVersion: browser.version().split('.')[0] ?? '',
    open: async (origin, options = {}) => {
      const context = await browser.newContext({
        baseURL: origin,
        reducedMotion: 'reduce',
        timezoneId: 'UTC',
        ...options,
      })
      context.setDefaultTimeout(ampleMilliseconds)
      const page = await context.newPage()
      const problems: string[] = []
      watch(page, problems)
      return { page, context, problems: () => problems }
    },
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

export const browserVersion = async (): Promise<string> => {
  await using browser = await launchBrowser()
  return browser.majorVersion
}
