export type QueryValue = string | number | boolean | readonly (string | number | boolean)[] | null | undefined

/** The path and query of a request: `{name}` in the path is replaced, absent values are left out, lists are repeated. */
export const requestUrl = (
  path: string,
  parameters: Readonly<Record<string, string | number>> = {},
  query: Readonly<Record<string, QueryValue>> = {},
): string => {
  const filled = path.replaceAll(/\{([a-z0-9_]+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === '') continue
    for (const item of Array.isArray(value) ? value : [value]) search.append(name, String(item))
  }
  const text = search.toString()
  return text === '' ? filled : `${filled}?${text}`
}
