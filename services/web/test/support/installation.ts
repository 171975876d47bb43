import type { Trellis } from '@trellis/test/support/trellis'
import type { BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, onTestFailed } from 'vitest'
import { launchBrowser, type Opened, type TestBrowser } from './browser.ts'
import { startWithPages } from './served.ts'

/** Trellis with its pages and a browser, which the tests of a suite share. Neither can be used before the first test. */
export type Installation = {
  readonly origin: string
  /** Opens a page of the installation, as `open` of the browser does. */
  open: (options?: BrowserContextOptions) => Promise<Opened>
}

type Options = {
  start?: () => Promise<Trellis>
  /** Adds the data that all tests of the suite read. */
  seed?: (origin: string) => Promise<unknown>
}

/** Prints the accessibility tree of a page when its test fails: the error of a timeout does not include it. */
const printOnFailure = ({ page, problems }: Opened): void =>
  onTestFailed(async () => {
    if (page.isClosed()) return
    const text = await page.locator('body').ariaSnapshot({ timeout: 5_000 })
    console.error(`${page.url()} shows:\n${text.slice(0, 4_000)}\n${problems().join('\n')}`)
  })

/** Starts Trellis and a browser before the tests of the suite that calls this, and ends both after them. */
export const installationOfSuite = ({ start = startWithPages, seed }: Options = {}): Installation => {
  const resources = new AsyncDisposableStack()
  let trellis: Trellis | undefined
  let browser: TestBrowser | undefined
  const started = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error('The installation starts before the first test of its suite.')
    return part
  }
  beforeAll(async () => {
    trellis = resources.use(await start())
    browser = resources.use(await launchBrowser())
    await seed?.(trellis.origin)
  })
  afterAll(() => resources.disposeAsync())
  return {
    get origin() {
      return started(trellis).origin
    },
    open: async (options) => {
      const opened = await started(browser).open(started(trellis).origin, options)
      printOnFailure(opened)
      return opened
    },
  }
}
