import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { createSlots } from './slots.ts'
import { untilAborted } from './until-aborted.ts'

export type PagesOptions = {
  readonly launch: () => Promise<Browser>
  /** User agent of pages: the same as that of our requests. */
  readonly userAgent: string
  /** Maximum number of open pages. */
  readonly maxOpen: number
  /** Number of pages after which a browser is replaced, since its memory grows with each. */
  readonly maxPerBrowser: number
  /** How long an idle browser stays open, in milliseconds. */
  readonly idleMilliseconds: number
}

export type Pages = AsyncDisposable & {
  /** Opens an empty page in an isolated context, and closes it when the work ends or the signal aborts. */
  readonly use: <Result>(work: (page: Page) => Promise<Result>, signal: AbortSignal) => Promise<Result>
}

/** The browser ended under a page, or the page crashed: it may be retried in another browser. */
export class PageLost extends Error {
  override name = 'PageLost'
}

/** A browser and its page counts. */
type Held = { readonly browser: Promise<Browser>; opened: number; open: number }

/** Timeout for closing a page or a browser, in milliseconds. */
const longestClose = 5_000

const closed = async (thing: { readonly close: () => Promise<void> }): Promise<void> =>
  Promise.race([thing.close().catch(() => undefined), sleep(longestClose, undefined, { ref: false })])

/**
 * Pages in one browser, which the first page starts, and which is replaced after many pages and closed when idle. This bounds
 * memory: few pages are open at once, and no browser lives long.
 */
export const createPages = (options: PagesOptions): Pages => {
  const { launch, userAgent, maxOpen, maxPerBrowser, idleMilliseconds } = options
  const slots = createSlots(maxOpen)
  const all = new Set<Held>()
  let current: Held | undefined
  let idle: NodeJS.Timeout | undefined

  const end = async (held: Held): Promise<void> => {
    if (current === held) current = undefined
    if (!all.delete(held)) return
    const browser = await held.browser.catch(() => undefined)
    if (browser !== undefined) await closed(browser)
  }

  const start = (): Held => {
    const held: Held = { browser: launch(), opened: 0, open: 0 }
    const drop = () => {
      if (current === held) current = undefined
    }
    held.browser.then((browser) => browser.once('disconnected', drop), drop)
    return held
  }

  const enter = (): Held => {
    clearTimeout(idle)
    const held = current ?? start()
    held.opened += 1
    held.open += 1
    all.add(held)
    current = held.opened < maxPerBrowser ? held : undefined
    return held
  }

  const leave = (held: Held): void => {
    held.open -= 1
    if (held.open > 0) return
    if (held !== current) void end(held)
    else idle = setTimeout(() => void end(held), idleMilliseconds).unref()
  }

  const inContext = async <Result>(context: BrowserContext, work: (page: Page) => Promise<Result>): Promise<Result> => {
    const page = await context.newPage()
    const lost = Promise.withResolvers<never>()
    page.once('crash', () => lost.reject(new PageLost('The page ended before it was read.')))
    lost.promise.catch(() => undefined)
    return Promise.race([work(page), lost.promise])
  }

  const inBrowser = async <Result>(
    held: Held,
    work: (page: Page) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> => {
    const browser = await untilAborted(held.browser, signal)
    try {
      const context = await browser.newContext({ userAgent, serviceWorkers: 'block', acceptDownloads: false })
      try {
        return await untilAborted(inContext(context, work), signal)
      } finally {
        await closed(context)
      }
    } catch (error) {
      signal.throwIfAborted()
      throw browser.isConnected()
        ? error
        : new PageLost('The browser ended before the page was read.', { cause: error })
    }
  }

  return {
    use: async (work, signal) => {
      using _slot = await slots.take(signal)
      const held = enter()
      try {
        return await inBrowser(held, work, signal)
      } catch (error) {
        // A browser that did not start, or lost a page, gets no further pages.
        if (current === held && !signal.aborted) current = undefined
        throw error
      } finally {
        leave(held)
      }
    },
    [Symbol.asyncDispose]: async () => {
      clearTimeout(idle)
      await Promise.all([...all].map(end))
    },
  }
}
