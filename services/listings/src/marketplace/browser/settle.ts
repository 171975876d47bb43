import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { layouts, resultLists } from '../layouts.ts'
import type { PartsState } from './answer-requests.ts'

/** What the tables of layouts know a card by, and links to items where the layout is unknown. */
const cards = [
  ...layouts.flatMap(({ cardClasses }) => cardClasses.map((name) => `.${name}`)),
  ...resultLists.classes.map((name) => `.${name} > li`),
  ...resultLists.ids.map((id) => `#${id} li`),
  'a[href*="/itm/"]',
].join(', ')

/** How far a page is: its cards once there are any, else all that it has. */
const growth = `(() => {
  const elements = document.getElementsByTagName('*').length
  const isWhole = document.readyState !== 'loading'
  return { isWhole, elements, cards: document.querySelectorAll(${JSON.stringify(cards)}).length }
})()`

type Growth = { readonly isWhole: boolean; readonly elements: number; readonly cards: number }

export type SettleOptions = {
  /** Requests of the page so far and under way: it settles when none is, and none was since the last look. */
  readonly requests: () => PartsState
  /** Most elements of a page, past which it is no page of results but a mistake. */
  readonly maxElements: number
  readonly signal: AbortSignal
}

/** Milliseconds between two looks. */
const look = 100
/** How many looks alike make a page settled: more while nothing has come that we know, since its script may still be about to ask. */
const looksAlike = { withCards: 3, without: 10 } as const

/**
 * Waits until a page has settled: nothing under way, and its cards (else its elements) unchanged over some looks. A page that
 * ticks or blinks settles nevertheless, and one that has grown past all bounds is not waited for.
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
