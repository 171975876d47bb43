import { form, type Trellis } from '@trellis/test/support/trellis'
import type { BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, onTestFailed, onTestFinished } from 'vitest'
import { launchBrowser, type Opened, type TestBrowser } from './browser.ts'
import { startWithPages } from './served.ts'

/** Trellis with its pages and a browser, which the tests of a suite share. Neither can be used before the first test. */
export type Installation = {
  readonly origin: string
  /** Opens a page of the installation, as `open` of the browser does. */
  open: (options?: BrowserContextOptions) => Promise<Opened>
  /**
   * A page that tests of the suite use one after another. Each finds it on a document without scripts, with empty storage, the usual size, a network and
   * no routes; what the browser has cached of the app remains. A page of its own starts a process and compiles the app, which takes longer than most
   * pages take to load. Scripts that run in each new document and clocks cannot be removed from a page, so that tests with these open their own.
   */
  openShared: () => Promise<Opened>
}

type Options = {
  start?: () => Promise<Trellis>
  /** Adds the data that all tests of the suite read. */
  seed?: (origin: string) => Promise<unknown>
}

/** Prints the accessibility tree of a page: the error of a timeout does not include it. */
const print = async ({ page, problems }: Opened): Promise<void> => {
  if (page.isClosed()) return
  const text = await page.locator('body').ariaSnapshot({ timeout: 5_000 })
  console.error(`${page.url()} shows:\n${text.slice(0, 4_000)}\n${problems().join('\n')}`)
}

/** Ends a page with its test, after it has printed what a failed test saw: pages that stay open go on sending requests and drawing. */
const endWithTest = (opened: Opened): void =>
  onTestFinished(async ({ task }) => {
    try {
      if (task.result?.state === 'fail') await print(opened)
    } finally {
      await opened.context.close()
    }
  })

type SharedPage = { opened: Opened; reset: () => Promise<void> }

const openSharedPage = async (browser: TestBrowser, origin: string): Promise<SharedPage> => {
  const opened = await browser.open(origin)
  const { page, context, problems } = opened
  const size = page.viewportSize()
  const session = await context.newCDPSession(page)
  const reset = async () => {
    page.removeAllListeners('request')
    page.removeAllListeners('response')
    await Promise.all(context.pages().map((other) => other !== page && other.close()))
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    await context.setOffline(false)
    await context.clearPermissions()
    await page.emulateMedia({ colorScheme: null })
    if (size) await page.setViewportSize(size)
    // Away from the app, which would go on writing to its storage. A document of the same origin keeps the process of the page.
    await page.goto(`${origin}/health`)
    await session.send('Storage.clearDataForOrigin', { origin: new URL(origin).origin, storageTypes: 'all' })
    await context.clearCookies()
    problems().length = 0
  }
  return { opened, reset }
}

type Started = { trellis: Trellis; browser: TestBrowser }

const startBoth = async (resources: AsyncDisposableStack, start: () => Promise<Trellis>): Promise<Started> => {
  const trellis = resources.use(await start())
  return { trellis, browser: resources.use(await launchBrowser()) }
}

/** What the suites of a file share on the distributed form, which is a dozen processes. */
const ofFile = new AsyncDisposableStack()
let startedForFile: Promise<Started> | undefined
afterAll(() => ofFile.disposeAsync())

/**
 * Starts Trellis and a browser before the tests of the suite that calls this, and ends both after them. On the distributed form, suites of one file that
 * start nothing of their own share them: what one adds, the others find, too.
 */
export const installationOfSuite = ({ start = startWithPages, seed }: Options = {}): Installation => {
  const resources = new AsyncDisposableStack()
  let both: Started | undefined
  let shared: SharedPage | undefined
  const started = (): Started => {
    if (both === undefined) throw new Error('The installation starts before the first test of its suite.')
    return both
  }
  beforeAll(async () => {
    if (form === 'distributed' && start === startWithPages) {
      startedForFile ??= startBoth(ofFile, start)
      both = await startedForFile
    } else both = await startBoth(resources, start)
    await seed?.(both.trellis.origin)
  })
  afterAll(async () => {
    await shared?.opened.context.close()
    await resources.disposeAsync()
  })
  return {
    get origin() {
      return started().trellis.origin
    },
    open: async (options) => {
      const { trellis, browser } = started()
      const opened = await browser.open(trellis.origin, options)
      endWithTest(opened)
      return opened
    },
    openShared: async () => {
      const { trellis, browser } = started()
      shared ??= await openSharedPage(browser, trellis.origin)
      const { opened, reset } = shared
      await reset()
      // What a failed test leaves is no beginning for the next one.
      onTestFailed(async () => {
        shared = undefined
        try {
          await print(opened)
        } finally {
          await opened.context.close()
        }
      })
      return opened
    },
  }
}
