/** Values of the parameters of a path. */
export type PathParameters = Readonly<Record<string, string>>

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Matches a path against a pattern such as `/logs/incidents/:id`; undefined if it does not match. A trailing slash is ignored. */
export const matchPath = (pattern: string, path: string): PathParameters | undefined => {
  const expected = pattern.split('/').filter((part) => part !== '')
  const actual = path.split('/').filter((part) => part !== '')
  if (expected.length !== actual.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [index, part] of expected.entries()) {
    const value = actual[index] ?? ''
    if (!part.startsWith(':')) {
      if (part !== value) return undefined
      continue
    }
    const text = decoded(value)
    if (text === undefined) return undefined
    parameters[part.slice(1)] = text
  }
  return parameters
}
