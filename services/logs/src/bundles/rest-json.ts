const inJson = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A message as the API would write it: names with underscores, null for what is unknown, JSON texts as what they say. */
export const restJson = (message: object, jsonTexts: readonly string[] = []): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(message).map(([name, value]: [string, unknown]) => [
      inJson(name),
      jsonTexts.includes(name) && typeof value === 'string' ? JSON.parse(value) : (value ?? null),
    ]),
  )
