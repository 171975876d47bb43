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

/** The filters that JSON text of an object names, by the parameters of the page's address; what the page does not know is left out. */
export const addressOf = (filters: string): Record<string, string> => {
  try {
    return Object.fromEntries(
      Object.entries(JSON.parse(filters) as Record<string, unknown>).flatMap(([name, value]) => {
        const own = names[name]
        return own !== undefined && (typeof value === 'string' || typeof value === 'number')
          ? [[own, String(value)] as const]
          : []
      }),
    )
  } catch {
    // Without readable filters there are none.
    return {}
  }
}

const labels: Readonly<Record<string, string>> = {
  min: 'lowest price',
  max: 'highest price',
  pages: 'pages',
  must: 'must include',
  mode: 'terms as',
  not: 'must not include',
  cat: 'category',
  via: 'read through',
}

/** Filters in words: `highest price 200`. */
export const wordsOf = (filters: string): string[] =>
  Object.entries(addressOf(filters)).map(([name, value]) => `${labels[name] ?? name} ${value}`)

/** The address of a saved search. */
export const searchPath = (query: string, filters: string): string =>
  `/listings?${new URLSearchParams({ q: query, ...addressOf(filters) })}`
