import type { Route } from 'playwright-core'
import { isMarketplaceFailure, marketplaceFailure } from '../failures.ts'
import type { HttpAnswer } from '../scraper/http-get.ts'
import { partRules } from './part-rules.ts'

/** A page as it came over HTTP. */
export type PageSource = { readonly address: string; readonly html: string }

/** How many further requests a page has made, and how many of them are open. */
export type PartsState = { readonly begun: number; readonly open: number }

export type PartLimits = {
  /** Further requests of one page; those past them are not made. */
  readonly maxRequests: number
  /** Characters of all that one page asks for, and of its markup in the end. */
  readonly maxCharacters: number
}

/** Refusals end the page as they would if it had been refused itself; anything else only leaves the page without that part. */
const endsPage = (error: unknown): boolean =>
  isMarketplaceFailure(error, 'refused') || isMarketplaceFailure(error, 'breakerOpen')

/**
 * Answers the requests of one page: the first for the page itself with what we have, further ones for its parts with what
 * `get` gives. Nothing else is answered, so nothing else is there. `end` is told why a page must not go on.
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
    if (characters > maxCharacters) throw marketplaceFailure('failed', 'a page of it asks for too much')
    await route.fulfill({
      status,
      body,
      headers: {
        // A body is text by now, whatever its encoding was.
        'content-type': `${contentType?.split(';')[0] ?? 'text/plain'}; charset=utf-8`,
        // The hosts of one site are one here: no answer holds what others may not see, since nobody is logged in.
        'access-control-allow-origin': '*',
      },
    })
  }

  const answer = async (route: Route): Promise<void> => {
    const request = route.request()
    if (request.isNavigationRequest()) {
      // To abort a navigation leaves the page as it is: it stays where it is.
      if (isShown || request.url() !== address) return route.abort('aborted')
      isShown = true
      return route.fulfill({
        status: 200,
        body: html,
        headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
      })
    }
    const desired = { address: request.url(), method: request.method(), resourceType: request.resourceType() }
    if (!allows(desired) || begun >= maxRequests) return route.abort('blockedbyclient')
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
    // The page may be gone before its requests are answered.
    answer: (route) => answer(route).catch(() => undefined),
    state: () => ({ begun, open }),
  }
}
