import type { Render } from '../browser/render.ts'
import { isShell } from '../browser/shell.ts'
import type { HttpAnswer, HttpGet } from './http-get.ts'
import type { PageCache } from './page-cache.ts'
import { createPoliteGet, isAbsent, type PoliteGetParts } from './polite-get.ts'

/** Fetches one page politely; returns its text, or undefined if it does not exist (404, 410). */
export type FetchPage = (address: string, signal: AbortSignal) => Promise<string | undefined>

/** How pages are rendered in a browser, and which: all of them, or those that are empty until their scripts have run. */
export type Rendering = { readonly pages: 'needed' | 'always'; readonly render: Render }

export type FetchPageParts = PoliteGetParts & {
  readonly cache: PageCache<HttpAnswer>
  /** Undefined to read pages as they come over HTTP. */
  readonly rendering?: Rendering | undefined
}

/**
 * Combines the parts of polite fetching: the cache, then robots.txt, then the host's rate limit, then the request.
 * A refusal is never cached, retried at once, read as an empty page, or rendered in a browser. The browser gets the page that
 * was fetched here, and its subresources are fetched here as well.
 */
export const createFetchPage = ({ cache, rendering, ...parts }: FetchPageParts): FetchPage => {
  const { fetchPolitely, judge } = createPoliteGet(parts)
  const getPart: HttpGet = (address, signal, accept = '*/*') =>
    cache.get(`part ${accept} ${address}`, () => fetchPolitely(address, signal, accept))

  const rendered = async (page: HttpAnswer, { render }: Rendering, signal: AbortSignal): Promise<HttpAnswer> =>
    judge({ ...page, body: await render({ address: page.address, html: page.body }, getPart, signal) })

  return async (address, signal) => {
    const page = await cache.get(address, async () => {
      const answer = await fetchPolitely(address, signal)
      if (rendering === undefined || isAbsent(answer)) return answer
      return rendering.pages === 'always' || isShell(answer.body, answer.address)
        ? rendered(answer, rendering, signal)
        : answer
    })
    return isAbsent(page) ? undefined : page.body
  }
}
