import type { TextKind } from '@trellis/protos/edge/routes.ts'

const numeric = /^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$/
const words: Record<string, boolean> = {
  true: true,
  '1': true,
  yes: true,
  on: true,
  false: false,
  '0': false,
  no: false,
  off: false,
}

/** One text as a value of the kind; text that is none stays text, for the validation to refuse with its place. */
const single = (kind: string, text: string): unknown => {
  if (kind === 'number') return numeric.test(text) ? Number(text) : text
  if (kind === 'boolean') return words[text.toLowerCase()] ?? text
  return text
}

/**
 * Path, query and header texts as values: numbers and booleans read, lists always lists. An empty text counts as
 * absent, and so does every name that the table does not know.
 */
export const textValues = (
  kinds: Record<string, TextKind>,
  source: Record<string, unknown>,
): Record<string, unknown> => {
  const values: Record<string, unknown> = {}
  for (const name in kinds) {
    const given = source[name]
    if (given === undefined || given === '') continue
    const kind = kinds[name] ?? 'string'
    if (kind.endsWith('[]')) {
      const item = kind.slice(0, -2)
      values[name] = (Array.isArray(given) ? given : [given])
        .filter((text) => text !== '')
        .map((text) => single(item, String(text)))
    } else {
      values[name] = typeof given === 'string' ? single(kind, given) : given
    }
  }
  return values
}
