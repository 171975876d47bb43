import type { Page } from 'playwright-core'
import { isMarketplaceFailure, marketplaceFailure } from '../failures.ts'
import type { HttpGet } from '../scraper/http-get.ts'
import { answerRequests, type PageSource, type PartLimits, type PartsState } from './answer-requests.ts'
import { PageLost, type Pages } from './pages.ts'
import { settled } from './settle.ts'
import { untilAborted } from './until-aborted.ts'

/** Shows a page in a browser until it has settled; gives its markup then. What it asks for is fetched by `get`. */
export type Render = (page: PageSource, get: HttpGet, signal: AbortSignal) => Promise<string>

export type RenderOptions = PartLimits & {
  readonly pages: Pages
  /** Longest time a page is shown, its further requests and their turns included, in milliseconds. */
  readonly timeoutMilliseconds: number
  /** Past this many a page is no page of results but a mistake. */
  readonly maxElements: number
}

/** How long the markup of a page may take to be handed over, in milliseconds. */
const longestReading = 5_000

/** The markup of a page as it is now, if it is within bounds: looked at there, so that no more is handed over. */
const markupOf = async (page: Page, { maxCharacters, maxElements }: RenderOptions): Promise<string> => {
  const markup = await page.evaluate<string | null>(`(() => {
    if (document.getElementsByTagName('*').length > ${maxElements}) return null
    const markup = '<!DOCTYPE html>' + document.documentElement.outerHTML
    return markup.length > ${maxCharacters} ? null : markup
  })()`)
  if (markup === null) throw marketplaceFailure('failed', 'a page of it grows past all bounds in a browser')
  return markup
}

/**
 * Shows pages in a browser. What was fetched over HTTP is shown as it is: the page is not asked for twice, and cannot send
 * itself elsewhere, so a challenge that would reload itself after its scripts gets nowhere. A page that
 * never settles is read at the end of its time. Where the browser dies under a page, it is shown once more in a new one.
 */
export const createRender = (options: RenderOptions): Render => {
  const { pages, timeoutMilliseconds, maxElements } = options

  const read = async (page: Page, address: string, requests: () => PartsState): Promise<string> => {
    // The markup is there at once, since it is ours to give; what its scripts ask for takes turns, and so the time.
    await page.goto(address, { waitUntil: 'commit', timeout: timeoutMilliseconds })
    const time = AbortSignal.timeout(timeoutMilliseconds)
    await untilAborted(settled(page, { requests, maxElements, signal: time }), time).catch((error: unknown) => {
      if (!time.aborted) throw error
    })
    return untilAborted(markupOf(page, options), AbortSignal.timeout(longestReading))
  }

  const show = async (source: PageSource, get: HttpGet, signal: AbortSignal): Promise<string> => {
    const ending = new AbortController()
    const both = AbortSignal.any([signal, ending.signal])
    const parts = answerRequests(
      source,
      (address, accept) => get(address, both, accept),
      options,
      (reason) => ending.abort(reason),
    )
    try {
      return await pages.use(async (page) => {
        // Of its context, so that windows it opens are answered by nobody else.
        await page.context().route('**/*', parts.answer)
        return read(page, source.address, parts.state)
      }, both)
    } finally {
      // What the page still waits for is not asked for any more.
      ending.abort(new Error('The page is closed.'))
    }
  }

  return async (source, get, signal) => {
    try {
      return await show(source, get, signal).catch((error: unknown) => {
        if (!(error instanceof PageLost)) throw error
        return show(source, get, signal)
      })
    } catch (error) {
      signal.throwIfAborted()
      if (isMarketplaceFailure(error)) throw error
      if (error instanceof PageLost) throw marketplaceFailure('noBrowser', 'it ended twice under it', { cause: error })
      throw marketplaceFailure('timedOut', 'a page of it does not come to rest in a browser', { cause: error })
    }
  }
}
