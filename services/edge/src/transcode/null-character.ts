import type { FastifyRequest } from 'fastify'

type Location = (string | number)[]

/** The location of the first text with U+0000 in a value. */
const within = (value: unknown): Location | undefined => {
  if (typeof value === 'string') return value.includes('\0') ? [] : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, part] of Object.entries(value)) {
    const inner = within(part)
    if (inner !== undefined) return [Array.isArray(value) ? Number(key) : key, ...inner]
  }
  return undefined
}

/** The location of U+0000 in a request: its part, and the names in it; undefined if no text contains it. */
export const nullCharacterIn = ({
  params,
  query,
  body,
}: Pick<FastifyRequest, 'params' | 'query' | 'body'>): Location | undefined => {
  for (const [place, part] of Object.entries({ path: params, query, body })) {
    const found = within(part)
    if (found !== undefined) return [place, ...found]
  }
  return undefined
}
