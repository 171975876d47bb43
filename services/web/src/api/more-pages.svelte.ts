import { action } from './action.svelte.ts'

type Page<Row> = { rows: readonly Row[]; cursor: string | null }
type Source<Row> = {
  /** Names what is listed: pages of another list are not shown. */
  of: () => string
  first: () => Page<Row> | undefined
  load: (cursor: string) => Promise<Page<Row>>
  keyOf: (row: Row) => string | number
}

/**
 * A list page after page: the first one, which may be loaded again at any time, and those that the user has loaded. Rows that a newer first page has
 * pushed out stay, and none is shown twice.
 */
export const morePages = <Row>({ of, first, load, keyOf }: Source<Row>) => {
  let more = $state.raw<(Page<Row> & { of: string }) | undefined>(undefined)
  const rest = $derived(more?.of === of() ? more : undefined)
  const rows = $derived.by((): readonly Row[] => {
    const newest = first()?.rows ?? []
    const known = new Set(newest.map(keyOf))
    return [...newest, ...(rest?.rows ?? []).filter((row) => !known.has(keyOf(row)))]
  })
  const cursor = $derived(rest ? rest.cursor : (first()?.cursor ?? null))
  const next = action(async () => {
    if (cursor === null) return
    const list = of()
    const page = await load(cursor)
    more = { of: list, rows: [...rows, ...page.rows], cursor: page.cursor }
  })
  return {
    get rows(): readonly Row[] {
      return rows
    },
    get hasMore(): boolean {
      return cursor !== null
    },
    next,
    /** Drops a row that was removed, or all pages but the first. */
    drop: (key?: string | number): void => {
      more = key === undefined || !more ? undefined : { ...more, rows: more.rows.filter((row) => keyOf(row) !== key) }
    },
  }
}

export type MorePages = Pick<ReturnType<typeof morePages<unknown>>, 'hasMore' | 'next'>
