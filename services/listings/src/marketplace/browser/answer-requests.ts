import type { Route } from 'playwright-core'
import { isMarketplaceFailure, marketplaceFailure } from '../failures.ts'
import type { HttpAnswer } from '../scraper/http-get.ts'
import { partRules } from './part-rules.ts'

/** A page as it was fetched over HTTP. */
export type PageSource = { readonly address: string; readonly html: string }

/** How many subresource requests a page has made, and how many of them are in flight. */
export type PartsState = { readonly begun: number; readonly open: number }

export type PartLimits = {
  /** Maximum subresource requests of one page; further ones are aborted. */
  readonly maxRequests: number
  /** Maximum characters of all subresources of one page together, and of its final markup. */
  readonly maxCharacters: number
}

/** Refusals end the page as if the page itself had been refused; any other error only fails that subresource. */
const endsPage = (error: unknown): boolean =>
  isMarketplaceFailure(error, 'refused') || isMarketplaceFailure(error, 'breakerOpen')

/**
 * Answers the requests of one page: the first for the page itself with its source, those for subresources with what `get`
 * returns. All others are aborted. Calls `end` with the reason if the page must not go on.
 */
export const answerRequests = (
  { address, html }: PageSource,
  get: (address: string, accept: string | undefined) => Promise<HttpAnswer>,
  { maxRequests, maxCharacters }: PartLimits,
  end: (reason: unknown) => void,
): { readonly answer: (route: Route) => Promise<void>; readonly state: () => PartsState } => {
  const { allows, policy } = partRules(address)
  let isShown = false
  let begun = 0
  let open = 0
  let characters = 0

  const answerPart = async (route: Route): Promise<void> => {
    const request = route.request()
    const { status, body, contentType } = await get(request.url(), request.headers().accept)
    characters += body.length
    if (characters > maxCharacters) throw marketplaceFailure('failed', 'one of its pages requests too much')
    await route.fulfill({
      status,
      body,
      headers: {
        // The body has been decoded to text, whatever its encoding was.
        'content-type': `${contentType?.split(';')[0] ?? 'text/plain'}; charset=utf-8`,
        // The hosts of one site count as one origin: no response holds private data, since no user is logged in.
        'access-control-allow-origin': '*',
      },
    })
  }

  const answer = async (route: Route): Promise<void> => {
    const request = route.request()
    if (request.isNavigationRequest()) {
      // Aborting a navigation leaves the current page in place.
      if (isShown || request.url() !== address) return route.abort('aborted')
      isShown = true
      return route.fulfill({
        status: 200,
        body: html,
        headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
      })
    }
    const part = { address: request.url(), method: request.method(), resourceType: request.resourceType() }
    if (!allows(part) || begun >= maxRequests) return route.abort('blockedbyclient')
    begun += 1
    open += 1
    try {
      await answerPart(route)
    } catch (error) {
      if (endsPage(error)) end(error)
      await route.abort('failed')
    } finally {
      open -= 1
    }
  }

  return {
    // The page may be closed before its requests are answered.
    answer: (route) => answer(route).catch(() => undefined),
    state: () => ({ begun, open }),
  }
}
