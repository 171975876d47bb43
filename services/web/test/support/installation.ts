import type { Trellis } from '@trellis/test/support/trellis'
import type { BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
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

/** Starts Trellis and a browser before the tests of the suite that calls this, and ends both after them. */
export const installationOfSuite = ({ start = startWithPages, seed }: Options = {}): Installation => {
  const opened = new AsyncDisposableStack()
  let trellis: Trellis | undefined
  let browser: TestBrowser | undefined
  const started = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error('The installation starts before the first test of its suite.')
    return part
  }
  beforeAll(async () => {
    trellis = opened.use(await start())
    browser = opened.use(await launchBrowser())
    await seed?.(trellis.origin)
  })
  afterAll(() => opened.disposeAsync())
  return {
    get origin() {
      return started(trellis).origin
    },
    open: (options) => started(browser).open(started(trellis).origin, options),
  }
}
