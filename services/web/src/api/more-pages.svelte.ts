import { action } from './action.svelte.ts'
import type { Resource } from './resource.svelte.ts'

type Page<Row> = { rows: readonly Row[]; cursor: string | null }
type Source<Row, Data> = {
  /** Names what is listed: pages of another list are not shown. */
  of: () => string
  /** The first page, which may be loaded again at any time. */
  list: () => Pick<Resource<Data>, 'data' | 'isOlder'>
  load: (cursor: string) => Promise<Data>
  pageOf: (data: Data) => Page<Row>
  keyOf: (row: Row) => string | number
}

/**
 * A list page after page, the newest rows first: the first page and those that the user has loaded. Rows that a newer first page has pushed out stay,
 * rows that it no longer has are gone, and none is shown twice. Where it has no row of those before, there may be others between them, and the list
 * begins again.
 */
export const morePages = <Row, Data>({ of, list, load, pageOf, keyOf }: Source<Row, Data>) => {
  let more = $state.raw<(Page<Row> & { of: string }) | undefined>(undefined)
  const first = $derived.by(() => {
    const { data } = list()
    return data === undefined ? undefined : pageOf(data)
  })
  const newest = $derived(new Set(first?.rows.map(keyOf)))
  const rest = $derived.by(() => {
    if (!more || more.of !== of() || !first || first.cursor === null) return undefined
    return more.rows.some((row) => newest.has(keyOf(row))) ? more : undefined
  })
  const rows = $derived.by((): readonly Row[] => {
    if (!first || !rest) return first?.rows ?? []
    const last = first.rows.at(-1)
    const end = rest.rows.findIndex((row) => last !== undefined && keyOf(row) === keyOf(last))
    return [...first.rows, ...rest.rows.slice(end + 1).filter((row) => !newest.has(keyOf(row)))]
  })
  const cursor = $derived(rest ? rest.cursor : (first?.cursor ?? null))
  const next = action(async () => {
    if (cursor === null || list().isOlder) return
    const name = of()
    const page = pageOf(await load(cursor))
    // The user may have chosen another list meanwhile.
    if (name === of()) more = { of: name, rows: [...rows, ...page.rows], cursor: page.cursor }
  })
  return {
    get rows(): readonly Row[] {
      return rows
    },
    get hasMore(): boolean {
      return cursor !== null
    },
    /** Whether the rows are those of another list, while this one is loaded. */
    get isOlder(): boolean {
      return list().isOlder
    },
    next,
    /** Drops a row that was removed, or all pages but the first. */
    drop: (key?: string | number): void => {
      more = key === undefined || !more ? undefined : { ...more, rows: more.rows.filter((row) => keyOf(row) !== key) }
    },
    /** Shows what a change has made of a row. */
    replace: (changed: Row): void => {
      const key = keyOf(changed)
      if (more) more = { ...more, rows: more.rows.map((row) => (keyOf(row) === key ? changed : row)) }
    },
  }
}

export type MorePages = Pick<ReturnType<typeof morePages<unknown, unknown>>, 'hasMore' | 'isOlder' | 'next'>
