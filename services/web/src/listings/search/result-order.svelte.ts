import { untrack } from 'svelte'
import { type Applied, arrange, type Result } from './filters.ts'

type Inputs = {
  results: () => readonly Result[]
  applied: () => Applied
  /** Results in this currency come first by price; empty for none. */
  ownCurrency: () => string
}

/**
 * The results that pass the filters. Nothing moves under the reader: scores that become known do not change the order until the user sorts again, and
 * new results are added at the end.
 */
export const createResultOrder = ({ results, applied, ownCurrency }: Inputs) => {
  let order = $state.raw<readonly string[]>([])
  let orderedBy = ''
  const arranged = $derived(arrange(results(), applied(), ownCurrency()))
  $effect(() => {
    const { ids } = arranged
    const { sort } = applied()
    untrack(() => {
      const retained = sort === orderedBy ? order.filter((id) => ids.includes(id)) : []
      orderedBy = sort
      order = [...retained, ...ids.filter((id) => !retained.includes(id))]
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
    },
  }
}
