import type { Asked } from '../search/filters.ts'
import { parametersOf } from '../search/filters.ts'

/** The parameters of a search besides its text, as a saved search stores them. */
export const filtersJson = (asked: Asked): string => {
  const { q: _, ...filters } = parametersOf(asked)
  return JSON.stringify(Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)))
}

const names: Readonly<Record<string, string>> = {
  min_price: 'min',
  max_price: 'max',
  pages: 'pages',
  must_include: 'must',
  must_include_mode: 'mode',
  must_exclude: 'not',
  category_id: 'cat',
  adapter: 'via',
}

/** The address of a saved search. What the page does not know is left out. */
export const searchPath = (query: string, filters: string): string => {
  const parameters = new URLSearchParams({ q: query })
  try {
    for (const [name, value] of Object.entries(JSON.parse(filters) as Record<string, unknown>)) {
      const own = names[name]
      if (own !== undefined && (typeof value === 'string' || typeof value === 'number'))
        parameters.set(own, String(value))
    }
  } catch {
    // Without readable filters, the text alone is searched.
  }
  return `/listings?${parameters}`
}
