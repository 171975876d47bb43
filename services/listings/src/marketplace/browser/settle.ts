import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { layouts, resultLists } from '../layouts.ts'
import type { PartsState } from './answer-requests.ts'

/** Selectors of cards in the known layouts, and of links to items where the layout is unknown. */
const cards = [
  ...layouts.flatMap(({ cardClasses }) => cardClasses.map((name) => `.${name}`)),
  ...resultLists.classes.map((name) => `.${name} > li`),
  ...resultLists.ids.map((id) => `#${id} li`),
  'a[href*="/itm/"]',
].join(', ')

/** Progress of a page: its cards once there are any, else all its elements. */
const growth = `(() => {
  const elements = document.getElementsByTagName('*').length
  const isWhole = document.readyState !== 'loading'
  return { isWhole, elements, cards: document.querySelectorAll(${JSON.stringify(cards)}).length }
})()`

type Growth = { readonly isWhole: boolean; readonly elements: number; readonly cards: number }

export type SettleOptions = {
  /** Requests of the page so far and in flight: it settles when none is in flight and none has started since the last poll. */
  readonly requests: () => PartsState
  /** A page with more elements is a mistake rather than a page of results. */
  readonly maxElements: number
  readonly signal: AbortSignal
}

/** Milliseconds between two polls. */
const look = 100
/** How many equal polls make a page settled: more while there is no known card, since its script may be about to request it. */
const looksAlike = { withCards: 3, without: 10 } as const

/**
 * Waits until a page has settled: no requests in flight, and its number of cards (else elements) unchanged over some polls.
 * Tickers and animations do not prevent that, and a page with more than `maxElements` is not waited for.
 */
export const settled = async (page: Page, { requests, maxElements, signal }: SettleOptions): Promise<void> => {
  let last = ''
  let alike = 0
  let needed: number = looksAlike.without
  while (alike < needed) {
    const { begun, open } = requests()
    const { isWhole, elements, cards: shown } = await page.evaluate<Growth>(growth)
    if (elements > maxElements) return
    const now = `${begun} ${shown > 0 ? `cards ${shown}` : `elements ${elements}`}`
    alike = isWhole && open === 0 && now === last ? alike + 1 : 0
    last = now
    needed = shown > 0 ? looksAlike.withCards : looksAlike.without
    if (alike < needed) await sleep(look, undefined, { signal })
  }
}
