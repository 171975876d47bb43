import { Parser } from 'htmlparser2'
import { isItemId, linkedItems } from '../cut-cards.ts'
import { mostOpen } from '../dom.ts'
import { readItemPage } from '../item-page.ts'
import { readSearchPage } from '../search-page.ts'

/** Characters of a page that are parsed before the next check for whether the result is known. */
const step = 64 * 1024

/** Types of scripts that a browser runs; any other is data. */
const runs = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/i

/** Whether a page's markup, not its scripts, links to an item, and whether it has executable scripts. Linear in its length. */
const lookThrough = (html: string): { readonly linksToItem: boolean; readonly hasScripts: boolean } => {
  let linksToItem = false
  let hasScripts = false
  let open = 0
  const parser = new Parser({
    onopentag: (name, { href, type = '' }) => {
      open += 1
      if (open > mostOpen) parser.pause()
      if (name === 'script') hasScripts ||= runs.test(type.trim())
      else if (name === 'a' && href !== undefined) linksToItem ||= linkedItems(href).some(isItemId)
    },
    onclosetag: () => {
      open -= 1
    },
  })
  for (let at = 0; at < html.length && !linksToItem; at += step) parser.write(html.slice(at, at + step))
  parser.end()
  return { linksToItem, hasScripts }
}

/**
 * Whether a page is a shell: it lacks the data that we read it for, and has scripts that may add it. A page of results with a
 * card, or with a statement that there are none, is no shell; nor is an item's page that shows its seller. The check takes a
 * few milliseconds where there are cards, since it stops at the first link to one.
 */
export const isShell = (html: string, address: string): boolean => {
  const { linksToItem, hasScripts } = lookThrough(html)
  if (!hasScripts) return false
  const context = { pageUrl: address, observedAt: new Date(), defaultCurrency: 'USD' }
  if (/\/itm\/[^?]*\d/.test(new URL(address).pathname)) {
    const page = readItemPage(html, context)
    return page.kind !== 'item' || (page.seller === null && page.joined === null)
  }
  return !linksToItem && readSearchPage(html, context).kind !== 'results'
}
