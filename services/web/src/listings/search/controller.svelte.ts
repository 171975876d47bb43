import { onDestroy, untrack } from 'svelte'
import { call } from '../../api/client.ts'
import { caller } from '../../api/session.svelte.ts'
import { useActions } from '../../ui/actions.svelte.ts'
import { toClipboard } from '../../ui/clipboard.ts'
import { counted } from '../../ui/counted.ts'
import { withBase } from '../../url/facts.ts'
import { here, navigate } from '../../url/here.svelte.ts'
import { cannotCompare, comparePath } from '../parts/comparison.ts'
import { addressOf } from '../parts/saved-filters.ts'
import { guestCannotBlock, unknownSeller } from '../parts/seller-reasons.ts'
import { titleOf } from '../parts/title.ts'
import { type Applied, filtersJson, parametersOf, type Query, type Result, type SearchView } from './filters.ts'
import { createLiveSearch, type SearchState } from './live-search.svelte.ts'
import { createResultOrder } from './result-order.svelte.ts'
import { createSellerActions } from './seller-actions.svelte.ts'

const states: Record<SearchState, string> = {
  idle: '',
  searching: 'searching …',
  'looking up sellers': 'looking up sellers …',
  done: 'done',
  'timed out': 'timed out: what is missing stays unknown',
  cancelled: 'cancelled: what was found stays',
  failed: '',
}
const nameOf = (query: Query) => JSON.stringify(parametersOf(query))
const pathOf = ({ listing }: Result) => `/listings/item/${encodeURIComponent(listing.platform_listing_id)}`

/** The search that the address names, what it has found, and the actions of the page with their keys. `onsave` saves the search. */
export const createController = (view: SearchView, onsave: () => void) => {
  const { values } = view
  /** The search that the page shows, as its address names it. */
  let followed: { query: string; s: string } | undefined
  const search = createLiveSearch((s) => {
    followed = { query: nameOf(values), s }
    view.set({ s }, { replace: true })
  })
  const sellers = createSellerActions(search)
  onDestroy(() => search.close())

  const searchFor = async (query: Partial<Query>): Promise<void> => {
    followed = { query: nameOf({ ...values, ...query }), s: '' }
    view.set({ ...query, s: '', sel: '', pick: '' })
    if (values.q === '') return search.reset()
    await caller.open()
    await search.start(values)
  }
  /** Shows the search of the address: of a link, after a reload, and when the user goes back and forward. */
  const arrive = (s: string): void => {
    const query = nameOf(values)
    if (followed?.query === query && (s === followed.s || s === '')) return
    followed = { query, s }
    if (values.q === '') search.reset()
    else if (s === '') void search.start(values)
    else search.resume(s, values)
  }
  let isOpen = $state(false)
  /** The currency that the user compares in: it is sorted first by price, and others are marked. */
  let ownCurrency = $state('')
  /** A search that is new starts with the filters that the user has chosen for it. */
  const applyPreferences = async (): Promise<void> => {
    const isNew = () => here.path === '/listings' && values.q === '' && filtersJson(values) === '{}'
    try {
      const { search: own, display } = await call('GET /listings/api/preferences')
      ownCurrency = display?.currency ?? ''
      const defaults = new URLSearchParams(addressOf(own?.defaults ?? '')).toString()
      if (defaults !== '' && isNew()) navigate(`/listings?${defaults}`, { replace: true })
    } catch {
      // Without preferences, a search starts without filters, and all currencies are alike.
    }
  }
  void caller.open().then(() => {
    isOpen = true
    void sellers.loadReported()
    void applyPreferences()
  })
  $effect(() => {
    const { s } = values
    void nameOf(values)
    if (isOpen) untrack(() => arrive(s))
  })

  const order = createResultOrder({
    results: () => search.results,
    applied: () => values,
    ownCurrency: () => ownCurrency,
    session: () => values.s,
  })
  const shown = $derived(order.shown)
  const apply = (change: Partial<Applied> & { view?: 'cards' | 'table' }): void => {
    view.set(change, { replace: !('sort' in change || 'hide' in change || 'view' in change) })
  }
  const picked = $derived(values.pick === '' ? [] : values.pick.split(','))
  const pick = (id: string): void => {
    const next = picked.includes(id) ? picked.filter((known) => known !== id) : [...picked, id]
    view.set({ pick: next.join(',') }, { replace: true })
  }
  const chosen = $derived(shown.filter(({ listing }) => picked.includes(listing.platform_listing_id)))
  const comparison = $derived(comparePath(chosen.map(({ listing }) => listing.platform_listing_id)))
  const conditions = $derived(
    [...new Set(search.results.map(({ listing }) => listing.condition).filter(Boolean))].toSorted(),
  )
  const flags = $derived(
    [
      ...new Set(search.results.flatMap(({ score }) => [...(score?.hard_filters ?? []), ...(score?.soft_flags ?? [])])),
    ].toSorted(),
  )
  const cannotBlock = $derived(guestCannotBlock())
  const status = $derived.by((): string => {
    const state = states[isOpen || values.q === '' ? search.state : 'searching']
    const { length } = search.results
    if (length === 0) return search.state === 'cancelled' ? 'cancelled before anything was found' : state
    const hidden = order.hiddenCount > 0 ? `, ${order.hiddenCount} hidden` : ''
    const source = search.adapter ? [`read from ${search.adapter === 'api' ? 'the API' : 'web pages'}`] : []
    const { pending } = search
    const scores =
      pending === 0 ? 'all scores final' : `${length - pending} scores final, ${pending} with unknown signals`
    return [`${counted(length, 'result')}${hidden}`, ...source, scores, ...(state ? [state] : [])].join(' · ')
  })

  const selectedIndex = $derived(shown.findIndex(({ listing }) => listing.platform_listing_id === values.sel))
  const selected = $derived(shown[selectedIndex])
  const move = (step: number) => () => {
    const next = shown[Math.min(shown.length - 1, Math.max(0, selectedIndex + step))]
    if (!next) return
    const { platform_listing_id: id } = next.listing
    view.set({ sel: id }, { replace: true })
    queueMicrotask(() => document.getElementById(`listing-${id}`)?.scrollIntoView({ block: 'nearest' }))
  }
  const copy = ({ listing }: Result): void => {
    const price = listing.price === null ? '' : `${listing.price} ${listing.currency}`
    void toClipboard([titleOf(listing), price, listing.url].filter(Boolean).join('\n'), 'Listing copied')
  }
  const copyLink = (result: Result): void =>
    void toClipboard(`${location.origin}${withBase(pathOf(result))}`, 'Link to the listing copied')
  const needsSelection = $derived(selected ? undefined : 'Select a listing with j first.')
  const needsSeller = $derived(needsSelection ?? (selected && unknownSeller(selected.listing)))
  const group = 'Listings'
  const hidden = true
  /** An action of the selected listing. */
  const ofSelected = (id: string, title: string, keys: string, run: (result: Result) => unknown) => ({
    id: `listings-${id}`,
    title,
    keys,
    group,
    blocked: needsSelection,
    run: () => selected && void run(selected),
  })
  const ofSeller = (id: string, title: string, keys: string, run: (result: Result) => unknown) => ({
    ...ofSelected(id, title, keys, run),
    blocked: needsSeller,
    changes: true,
  })
  useActions(() => [
    { id: 'listings-next', title: 'Next listing', keys: ['j', 'ArrowDown'], group, hidden, run: move(1) },
    { id: 'listings-previous', title: 'Previous listing', keys: ['k', 'ArrowUp'], group, hidden, run: move(-1) },
    ofSelected('details', 'Details of the listing', 'Enter', (result) => navigate(pathOf(result))),
    ofSelected('open', 'Open at the marketplace', 'o', ({ listing }) =>
      window.open(listing.url, '_blank', 'noopener,noreferrer'),
    ),
    ofSeller('lookup', 'Look up seller', 'u', sellers.lookUp),
    {
      ...ofSeller('block', 'Block seller', 'b', (result) => sellers.block([result])),
      blocked: needsSelection ?? cannotBlock ?? needsSeller,
    },
    ofSeller('report', 'Report seller', 'r', (result) => sellers.report.run([result])),
    ofSelected('copy', 'Copy the listing', 'c', copy),
    ofSelected('copy-link', 'Copy link to the listing', 'y', copyLink),
    {
      id: 'listings-compare',
      title: 'Compare the chosen listings',
      keys: 'm',
      group,
      blocked: cannotCompare(chosen.length),
      run: () => navigate(comparison),
    },
    { ...ofSelected('pick', 'Choose the listing', 'x', ({ listing }) => pick(listing.platform_listing_id)), hidden },
    {
      id: 'listings-save',
      title: 'Save search',
      keys: 's',
      group,
      blocked: values.q === '' ? 'Search first.' : undefined,
      run: onsave,
    },
    {
      id: 'listings-view',
      title: values.view === 'cards' ? 'Show as a table' : 'Show as cards',
      keys: 'v',
      group,
      run: () => apply({ view: values.view === 'cards' ? 'table' : 'cards' }),
    },
  ])

  return {
    search,
    sellers,
    order,
    searchFor,
    apply,
    pick,
    pickNone: (): void => view.set({ pick: '' }, { replace: true }),
    /** Whether the session is open, or cannot be opened. */
    get isOpen() {
      return isOpen
    },
    get ownCurrency() {
      return ownCurrency
    },
    /** The ids of the chosen results. */
    get picked() {
      return picked
    },
    /** The chosen results that are shown. */
    get chosen() {
      return chosen
    },
    /** The path at which the chosen ones are compared. */
    get comparison() {
      return comparison
    },
    /** The conditions of the results. */
    get conditions() {
      return conditions
    },
    /** The flags of the results. */
    get flags() {
      return flags
    },
    get cannotBlock() {
      return cannotBlock
    },
    /** How far the search is, as a sentence. */
    get status() {
      return status
    },
  }
}
export type Controller = ReturnType<typeof createController>
