import { untrack } from 'svelte'
import { arrange } from './arrange.ts'
import type { Applied, Result } from './filters.ts'

type Inputs = {
  results: () => readonly Result[]
  applied: () => Applied
  /** Results in this currency come first by price; empty for none. */
  ownCurrency: () => string
  /** The search that the results are of; empty while it has no id. */
  session: () => string
}

/** Orders that were shown, by their searches: who comes back to a search from one of its listings finds the listing where it was. */
const shownOrders = new Map<string, { sort: string; ids: readonly string[] }>()
const maximumShownOrders = 20
const recordOrder = (session: string, sort: string, ids: readonly string[]): void => {
  if (session === '' || ids.length === 0) return
  shownOrders.delete(session)
  shownOrders.set(session, { sort, ids })
  const [oldest] = shownOrders.keys()
  if (shownOrders.size > maximumShownOrders && oldest !== undefined) shownOrders.delete(oldest)
}

/**
 * The results that pass the filters. Nothing moves under the reader: scores that become known do not change the order until the user sorts again, and
 * new results are added at the end.
 */
export const createResultOrder = ({ results, applied, ownCurrency, session }: Inputs) => {
  let order = $state.raw<readonly string[]>([])
  let orderedBy = ''
  const orderBefore = (id: string, sort: string): readonly string[] => {
    const known = order.length > 0 ? { sort: orderedBy, ids: order } : shownOrders.get(id)
    return known?.sort === sort ? known.ids : []
  }
  const arranged = $derived(arrange(results(), applied(), ownCurrency()))
  $effect(() => {
    const { ids } = arranged
    const { sort } = applied()
    const id = session()
    untrack(() => {
      const retained = orderBefore(id, sort).filter((known) => ids.includes(known))
      orderedBy = sort
      order = [...retained, ...ids.filter((each) => !retained.includes(each))]
      recordOrder(id, sort, order)
    })
  })
  const byId = $derived(new Map(results().map((result) => [result.listing.platform_listing_id, result])))
  const shown = $derived(order.flatMap((id) => (arranged.ids.includes(id) ? (byId.get(id) ?? []) : [])))
  const isOutOfOrder = $derived(shown.some(({ listing }, index) => listing.platform_listing_id !== arranged.ids[index]))
  const hiddenCount = $derived([...arranged.hidden.values()].reduce((sum, count) => sum + count, 0))
  return {
    get shown() {
      return shown
    },
    /** How many results each filter hides. */
    get hidden() {
      return arranged.hidden
    },
    get hiddenCount() {
      return hiddenCount
    },
    get isOutOfOrder() {
      return isOutOfOrder
    },
    sortAgain: () => {
      order = arranged.ids
      recordOrder(session(), applied().sort, order)
    },
  }
}
