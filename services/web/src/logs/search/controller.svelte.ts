import type { EntryRest } from '@trellis/protos/edge/client.ts'
import { tick } from 'svelte'
import type { Answer } from '../../api/client.ts'
import { keys } from '../../api/keys.svelte.ts'
import type { Resource } from '../../api/resource.svelte.ts'
import type { LineColumn } from '../../lines/columns.ts'
import type LineList from '../../lines/LineList.svelte'
import { useActions } from '../../ui/actions.svelte.ts'
import { toClipboard } from '../../ui/clipboard.ts'
import { withBase } from '../../url/facts.ts'
import { type ListFilter, parametersOf } from '../parts/filters.ts'
import { type Draft, draftOf, maxAttached } from '../parts/incident-draft.ts'
import { isoOf, moved, type Span, scaled } from '../parts/spans.ts'
import { filterOf } from './arrangement.ts'
import { createChoice } from './choice.svelte.ts'
import { createFollowing } from './following.svelte.ts'
import { createResults } from './results.svelte.ts'
import type { SearchQuery, SearchView } from './search-view.ts'

export type SearchState = {
  view: SearchView
  found: Resource<Answer<'GET /logs/api/search'>>
  query: () => SearchQuery
  bounds: () => { since: string | undefined; until: string | undefined }
  /** When the search was made: relative windows end then. */
  asOf: () => number
  filter: (name: ListFilter, value: string) => void
  toggleLive: () => void
  diagnose: () => void
  /** Makes an incident; without a draft, of the window that is searched. */
  onincident: (draft?: Draft) => void
}

/** What can be done with the lines of a search: to follow, select, choose and open them, and the actions of the page with their keys. */
export const createController = (search: SearchState) => {
  const { view, found, filter } = search
  const { values } = view
  const following = createFollowing({
    parameters: () => (values.live ? parametersOf(values) : undefined),
    onfail: () => view.set({ live: false }, { replace: true }),
  })
  const results = createResults({ found, query: search.query, live: () => following.live, selectedId: () => values.e })
  const choice = createChoice(results)
  let list = $state.raw<LineList>()
  let detail = $state.raw<HTMLElement>()
  let withContext = $state(false)
  let cell = $state<LineColumn>('source')
  const selectedEntry = $derived(results.selectedEntry)

  const select = (position: number): void => {
    const entry = results.at(position)
    if (entry) view.set({ e: entry.entry_id }, { replace: values.e !== '' })
  }
  /** What has the focus in the entry goes with it: the lines that it was opened from take it. */
  const close = (): void => {
    if (detail?.contains(document.activeElement)) list?.focus()
    view.set({ e: '' }, { replace: true })
  }
  const newIncident = (entries: readonly EntryRest[]): void =>
    search.onincident(entries.length > 0 ? { ...draftOf(entries), label: values.q } : undefined)
  const cannotAdd = $derived(
    keys.cannotChange ??
      (choice.ids.size > maxAttached ? `At most ${maxAttached} lines are added at once.` : undefined),
  )
  /** Puts in view the lines that were missed and have been fetched. */
  const showFetched = async ({ count, first }: { count: number; first: number }): Promise<void> => {
    following.holdAtMissed(count)
    await tick()
    list?.show(first)
  }

  const span = $derived.by((): Span | undefined => {
    const histogram = found.data?.histogram
    const bounds = search.bounds()
    const first = histogram ? Date.parse(histogram.start) : undefined
    const last =
      histogram && first !== undefined ? first + histogram.counts.length * histogram.bucket_seconds * 1_000 : undefined
    const since = bounds.since ? Date.parse(bounds.since) : first
    const until = bounds.until ? Date.parse(bounds.until) : values.since !== '' ? search.asOf() : last
    return since !== undefined && until !== undefined && until > since ? { since, until } : undefined
  })
  const setSpan = ({ since, until }: Span): void => view.set({ since: isoOf(since), until: isoOf(until) })

  const needsLine = $derived(selectedEntry ? undefined : 'Select a line first.')
  const needsSpan = $derived(span ? undefined : 'There is no time range to change.')
  const byWindow = (id: string, title: string, key: string, change: (current: Span) => Span) => ({
    id,
    title,
    keys: key,
    group: 'Logs',
    blocked: needsSpan,
    run: () => span && setSpan(change(span)),
  })
  const byCell = (id: string, title: string, key: string, isOut: boolean) => {
    const what = filterOf(selectedEntry, cell, isOut, values)
    const effect =
      'blocked' in what
        ? { blocked: what.blocked, run: () => undefined }
        : { run: () => filter(what.filter, what.value) }
    return { id, title, keys: key, group: 'Logs', ...effect }
  }
  const copyLink = (entry: EntryRest): void => {
    const path = withBase(`/logs?e=${encodeURIComponent(entry.entry_id)}`)
    void toClipboard(`${location.origin}${path}`, 'Link to the line copied')
  }
  useActions(() => [
    { id: 'logs-live', title: values.live ? 'Stop following' : 'Follow live', group: 'Logs', run: search.toggleLive },
    ...(following.live
      ? [{ id: 'logs-hold', title: 'Hold or follow', keys: 'Space', group: 'Logs', run: following.toggle }]
      : []),
    byWindow('logs-out', 'Zoom out', 'z', (current) => scaled(current, 2)),
    byWindow('logs-in', 'Zoom in', 'Z', (current) => scaled(current, 0.5)),
    byWindow('logs-earlier', 'Earlier', '[', (current) => moved(current, -0.5)),
    byWindow('logs-later', 'Later', ']', (current) => moved(current, 0.5)),
    { id: 'logs-diagnose', title: 'Diagnose', keys: 'd', group: 'Logs', run: search.diagnose },
    {
      id: 'logs-context',
      title: 'Context of the entry',
      keys: 't',
      group: 'Logs',
      blocked: needsLine,
      run: () => (withContext = !withContext),
    },
    byCell('logs-only', 'Only lines with this cell', '+', false),
    byCell('logs-without', 'Hide lines with this cell', '-', true),
    {
      id: 'logs-hide',
      title: 'Hide lines like this',
      keys: 'h',
      group: 'Logs',
      blocked: needsLine ?? (selectedEntry?.template_id ? undefined : 'This line has no template yet.'),
      run: () => selectedEntry?.template_id && filter('not_template', selectedEntry.template_id),
    },
    {
      id: 'logs-copy',
      title: choice.ids.size > 0 ? 'Copy the chosen lines' : 'Copy the line',
      keys: 'c',
      group: 'Logs',
      blocked: choice.ids.size > 0 ? undefined : needsLine,
      run: () => choice.copy(),
    },
    {
      id: 'logs-copy-link',
      title: 'Copy link to the line',
      keys: 'y',
      group: 'Logs',
      blocked: needsLine,
      run: () => selectedEntry && copyLink(selectedEntry),
    },
    {
      id: 'logs-incident',
      title: 'Save as incident',
      keys: 'i',
      group: 'Logs',
      blocked: cannotAdd,
      run: () => newIncident(choice.entries()),
    },
    {
      id: 'logs-wrap',
      title: values.wrap ? 'Show each line in one row' : 'Wrap long lines',
      group: 'Logs',
      run: () => view.set({ wrap: !values.wrap }),
    },
    ...(selectedEntry
      ? [{ id: 'logs-close', title: 'Close the entry', keys: 'Escape', group: 'Logs', hidden: true, run: close }]
      : []),
    ...(choice.ids.size > 0
      ? [
          {
            id: 'logs-choose-none',
            title: 'Choose no lines',
            keys: 'Escape',
            group: 'Logs',
            hidden: true,
            run: choice.clear,
          },
        ]
      : []),
  ])

  return {
    following,
    results,
    choice,
    get selectedEntry() {
      return selectedEntry
    },
    /** Why the chosen lines cannot be added to an incident. */
    get cannotAdd() {
      return cannotAdd
    },
    get list() {
      return list
    },
    set list(shown: LineList | undefined) {
      list = shown
    },
    /** The element of the entry that is open. */
    get detail() {
      return detail
    },
    set detail(shown: HTMLElement | undefined) {
      detail = shown
    },
    /** Whether the open entry shows its context. */
    get withContext() {
      return withContext
    },
    set withContext(isShown: boolean) {
      withContext = isShown
    },
    /** The column of the cell that the keys + and - take. */
    get cell() {
      return cell
    },
    set cell(column: LineColumn) {
      cell = column
    },
    select,
    close,
    newIncident,
    showFetched,
  }
}
export type Controller = ReturnType<typeof createController>
