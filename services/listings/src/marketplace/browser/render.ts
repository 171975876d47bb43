import type { Page } from 'playwright-core'
import { isMarketplaceFailure, marketplaceFailure } from '../failures.ts'
import type { HttpGet } from '../scraper/http-get.ts'
import { answerRequests, type PageSource, type PartLimits, type PartsState } from './answer-requests.ts'
import { PageLost, type Pages } from './pages.ts'
import { settled } from './settle.ts'
import { untilAborted } from './until-aborted.ts'

/** Renders a page in a browser until it settles, and returns its markup. Subresources are fetched with `get`. */
export type Render = (page: PageSource, get: HttpGet, signal: AbortSignal) => Promise<string>

export type RenderOptions = PartLimits & {
  readonly pages: Pages
  /** Timeout of a page in milliseconds, including its subresource requests and their waits for the rate limit. */
  readonly timeoutMilliseconds: number
  /** A page with more elements is a mistake rather than a page of results. */
  readonly maxElements: number
}

/** Timeout for reading the markup of a page, in milliseconds. */
const longestReading = 5_000

/** The current markup of a page, if it is within the limits; they are checked in the page, so that no more is transferred. */
const markupOf = async (page: Page, { maxCharacters, maxElements }: RenderOptions): Promise<string> => {
  const markup = await page.evaluate<string | null>(`(() => {
    if (document.getElementsByTagName('*').length > ${maxElements}) return null
    const markup = '<!DOCTYPE html>' + document.documentElement.outerHTML
    return markup.length > ${maxCharacters} ? null : markup
  })()`)
  if (markup === null) throw marketplaceFailure('failed', 'one of its pages grows past all limits in a browser')
  return markup
}

/**
 * Renders pages in a browser. It gets the source that was fetched over HTTP: the page is not requested twice and cannot
 * navigate away, so a challenge that would reload itself after its scripts gets nowhere. A page that never settles is read at
 * its timeout. If the browser dies under a page, the page is retried once in a new one.
 */
export const createRender = (options: RenderOptions): Render => {
  const { pages, timeoutMilliseconds, maxElements } = options

  const read = async (page: Page, address: string, requests: () => PartsState): Promise<string> => {
    // The markup commits at once, since we serve it. The requests of its scripts are rate limited, so they need the time.
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
        // On the context, so that it also covers windows that the page opens.
        await page.context().route('**/*', parts.answer)
        return read(page, source.address, parts.state)
      }, both)
    } finally {
      // Cancels the requests that the page still waits for.
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
      if (error instanceof PageLost)
        throw marketplaceFailure('noBrowser', 'it ended twice while showing one page', { cause: error })
      throw marketplaceFailure('timedOut', 'one of its pages does not settle in a browser', { cause: error })
    }
  }
}
