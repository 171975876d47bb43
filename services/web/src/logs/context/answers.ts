import type { ContextWizardFieldRest } from '@trellis/protos/edge/client.ts'

export type Row = Record<string, string>
export type Answer = string | string[] | Row[]
export type Answers = Record<string, Answer>

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.join(', ') : value === null || value === undefined ? '' : String(value)

const rowsOf = (value: unknown): Row[] =>
  Array.isArray(value)
    ? value
        .filter(isRecord)
        .map((row) => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, textOf(cell)])))
    : []

/** Answers as the form edits them: lists of texts as lines, cells of rows as text. */
export const toForm = (fields: readonly ContextWizardFieldRest[], stored: unknown): Answers => {
  const known = isRecord(stored) ? stored : {}
  return Object.fromEntries(
    fields.map(({ name, type }): [string, Answer] => {
      const value = known[name]
      if (type === 'rows') return [name, rowsOf(value)]
      if (type === 'list') return [name, Array.isArray(value) ? value.map(textOf) : []]
      return [name, textOf(value)]
    }),
  )
}

const parts = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

/** Answers as the API takes them: empty ones are left out. */
export const fromForm = (fields: readonly ContextWizardFieldRest[], answers: Answers): Record<string, unknown> => {
  const written: Record<string, unknown> = {}
  for (const { name, type, columns } of fields) {
    const value = answers[name]
    if (type === 'rows' && Array.isArray(value)) {
      const lists = new Set(columns.filter((column) => column.type === 'list').map((column) => column.name))
      const rows = value.filter(isRecord).map((row) => {
        const cells = Object.entries(row).filter(([, cell]) => textOf(cell).trim() !== '')
        return Object.fromEntries(
          cells.map(([column, cell]) => [column, lists.has(column) ? parts(textOf(cell)) : textOf(cell).trim()]),
        )
      })
      written[name] = rows.filter((row) => Object.keys(row).length > 0)
    } else if (type === 'list' && Array.isArray(value))
      written[name] = value.map((item) => textOf(item).trim()).filter(Boolean)
    else if (typeof value === 'string' && value.trim() !== '') written[name] = value.trim()
  }
  return written
}
