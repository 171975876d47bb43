const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A message as the API writes it: names in snake case, null for missing values, JSON texts parsed. */
export const restJson = (message: object, jsonTexts: readonly string[] = []): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(message).map(([name, value]: [string, unknown]) => [
      toSnakeCase(name),
      jsonTexts.includes(name) && typeof value === 'string' ? JSON.parse(value) : (value ?? null),
    ]),
  )
