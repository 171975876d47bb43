import type { EntryRest } from '@trellis/protos/edge/client.ts'
import { type Answer, call } from '../../api/client.ts'
import { morePages } from '../../api/more-pages.svelte.ts'
import { type Resource, resource } from '../../api/resource.svelte.ts'
import type { Live } from '../parts/live.svelte.ts'
import { pageSize, type SearchQuery } from './search-view.ts'

type Sources = {
  /** The first page of the search. */
  found: Resource<Answer<'GET /logs/api/search'>>
  query: () => SearchQuery
  live: () => Live | undefined
  selectedId: () => string
}

/** The lines of a search, page after page, or of the stream that is followed; and which of them is selected. */
export const createResults = ({ found, query, live, selectedId }: Sources) => {
  const pages = morePages({
    of: () => JSON.stringify(query()),
    list: () => found,
    load: (cursor) => call('GET /logs/api/search', { query: { ...query(), limit: pageSize, cursor } }),
    pageOf: ({ entries: rows, next_cursor: cursor }) => ({ rows, cursor }),
    keyOf: ({ entry_id: id }) => id,
  })
  let changed = $state.raw<ReadonlyMap<string, EntryRest>>(new Map())
  const entries = $derived(pages.rows)

  const at = (position: number): EntryRest | undefined => {
    const stream = live()
    const entry = stream ? stream.ring.at(position) : entries[position]
    return entry && (changed.get(entry.entry_id) ?? entry)
  }
  const version = $derived((live()?.version ?? entries.length) + changed.size)
  const count = $derived.by(() => {
    void version
    return live()?.ring.size ?? entries.length
  })
  const positionOf = (id: string): number => {
    for (let position = count - 1; position >= 0; position -= 1) if (at(position)?.entry_id === id) return position
    return -1
  }
  const selected = $derived.by(() => {
    void version
    return selectedId() === '' ? -1 : positionOf(selectedId())
  })
  const linked = resource('GET /logs/api/entries/{entry_id}/context', () =>
    selectedId() !== '' && selected < 0 && !found.isLoading
      ? { path: { entry_id: selectedId() }, query: { before: 0, after: 0 } }
      : undefined,
  )
  const selectedEntry = $derived.by(() => {
    if (selectedId() === '') return undefined
    return at(selected) ?? linked.data?.entries.find(({ entry_id: id }) => id === selectedId())
  })

  return {
    found,
    linked,
    pages,
    at,
    get version() {
      return version
    },
    get count() {
      return count
    },
    /** How many lines of the stream were dropped. */
    get gone() {
      void version
      return live()?.ring.dropped ?? 0
    },
    /** Position of the selected line, -1 if it is not in the list. */
    get selected() {
      return selected
    },
    get selectedEntry() {
      return selectedEntry
    },
    /** Shows what a change has made of an entry. */
    change: (entry: EntryRest): void => {
      changed = new Map([...changed, [entry.entry_id, entry]])
    },
  }
}

export type Results = ReturnType<typeof createResults>
