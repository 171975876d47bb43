import type { Snippet } from 'svelte'

/** A column of a `Table`. */
export type Column<Row> = {
  key: string
  label: string
  /** Aligned as a number. */
  number?: boolean
  /** Left out below 700 px. */
  wide?: boolean
  cell: Snippet<[row: Row]>
}
