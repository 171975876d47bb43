import type { Render } from '../browser/render.ts'
import { isShell } from '../browser/shell.ts'
import type { HttpAnswer, HttpGet } from './http-get.ts'
import type { PageCache } from './page-cache.ts'
import { createPoliteGet, isAbsent, type PoliteGetParts } from './polite-get.ts'

/** Fetches one page politely; the text of the page, or undefined for one that does not exist (404, 410). */
export type FetchPage = (address: string, signal: AbortSignal) => Promise<string | undefined>

/** How pages are shown in a browser, and which: all of them, or those that say nothing until their scripts have run. */
export type Rendering = { readonly pages: 'needed' | 'always'; readonly render: Render }

export type FetchPageParts = PoliteGetParts & {
  readonly cache: PageCache<HttpAnswer>
  /** Without it pages are read as they come over HTTP. */
  readonly rendering?: Rendering | undefined
}

/**
 * Puts the parts of polite fetching together: the cache first, then robots.txt, then the host's turn, then the request.
 * A refusal is never cached, never retried at once, never taken for an empty page, and never shown in a browser: what the
 * browser gets is the page that was fetched here, and what that page asks for is asked for here as well.
 */
export const createFetchPage = ({ cache, rendering, ...parts }: FetchPageParts): FetchPage => {
  const { ask, judge } = createPoliteGet(parts)
  const askForPart: HttpGet = (address, signal, accept = '*/*') =>
    cache.get(`part ${accept} ${address}`, () => ask(address, signal, accept))

  const rendered = async (page: HttpAnswer, { render }: Rendering, signal: AbortSignal): Promise<HttpAnswer> =>
    judge({ ...page, body: await render({ address: page.address, html: page.body }, askForPart, signal) })

  return async (address, signal) => {
    const page = await cache.get(address, async () => {
      const answer = await ask(address, signal)
      if (rendering === undefined || isAbsent(answer)) return answer
      return rendering.pages === 'always' || isShell(answer.body, answer.address)
        ? rendered(answer, rendering, signal)
        : answer
    })
    return isAbsent(page) ? undefined : page.body
  }
}
