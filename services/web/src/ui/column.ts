import type { Snippet } from 'svelte'

/** A column of a `Table`. */
export type Column<Row> = {
  key: string
  label: string
  /** Aligned as a number. */
  number?: boolean
  /** Left out below 700 px; what another cell then shows in its place has the class `narrow`. */
  wide?: boolean
  cell: Snippet<[row: Row]>
}
