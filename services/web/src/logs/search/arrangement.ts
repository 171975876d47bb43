import type { EntryRest } from '@trellis/protos/edge/client.ts'
import type { LineColumn } from '../../lines/columns.ts'
import type { FilterValues, ListFilter } from '../parts/filters.ts'

export type Dedupe = 'none' | 'text' | 'template'
export type Arrangement = { wrap: boolean; dedupe: Dedupe; cols: readonly string[]; tz: '' | 'local' | 'utc' }

export const optionalColumns = ['time', 'severity', 'source'] as const satisfies readonly LineColumn[]

/** The columns that are shown: all of them if none is named; the text always. */
export const columnsOf = (cols: readonly string[]): LineColumn[] => [
  ...optionalColumns.filter((column) => cols.length === 0 || cols.includes(column)),
  'text',
]

/** The names for the URL after a column was shown or hidden; none if all are shown. */
export const withColumn = (cols: readonly string[], column: LineColumn, isShown: boolean): string[] => {
  const shown = columnsOf(cols).filter((known) => known !== column)
  const next = isShown ? columnsOf([...shown, column]) : shown
  return next.length > optionalColumns.length ? [] : next
}

/** What consecutive lines must share to be shown as one. */
export const keyOf: Record<Dedupe, ((entry: EntryRest) => string | null) | undefined> = {
  none: undefined,
  text: ({ severity, source_id: source, message, text }) => [severity, source, message || text].join('\n'),
  template: ({ source_id: source, template_id: template }) => (template ? `${source}\n${template}` : null),
}

export type CellFilter = { filter: ListFilter; value: string } | { blocked: string }

/** The filter that a cell of a line stands for, to show only its like or to hide it. */
export const filterOf = (
  entry: EntryRest | undefined,
  cell: LineColumn,
  isOut: boolean,
  values: FilterValues,
): CellFilter => {
  if (!entry) return { blocked: 'Select a line first.' }
  if (cell === 'source') return { filter: isOut ? 'not_source' : 'source', value: entry.source_id }
  if (cell === 'text')
    return entry.template_id
      ? { filter: isOut ? 'not_template' : 'template', value: entry.template_id }
      : { blocked: 'This line has no template yet.' }
  if (cell === 'severity' && !entry.severity) return { blocked: 'This line has no severity.' }
  if (cell === 'severity' && entry.severity && (!isOut || values.severity.includes(entry.severity)))
    return { filter: 'severity', value: entry.severity }
  return { blocked: cell === 'severity' ? 'Severities can only be shown, not hidden.' : 'Choose a time range instead.' }
}
