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

type Convert = (text: string) => unknown

/** One text as a value of its kind; text that is none stays text, for the validation to refuse with its place. */
const converters: Record<'string' | 'number' | 'boolean', Convert> = {
  string: (text) => text,
  number: (text) => (numeric.test(text) ? Number(text) : text),
  boolean: (text) => words[text.toLowerCase()] ?? text,
}

const fieldOf = ([name, kind]: [string, TextKind]) => {
  const isList = kind.endsWith('[]')
  return { name, isList, convert: converters[(isList ? kind.slice(0, -2) : kind) as keyof typeof converters] }
}

/**
 * Makes the reader of path, query and header texts: numbers and booleans read, lists always lists. An empty text counts as
 * absent, and so does every name that the table does not know.
 */
export const textReader = (kinds: Record<string, TextKind>) => {
  const fields = (Object.entries(kinds) as [string, TextKind][]).map(fieldOf)
  return (source: Record<string, unknown>): Record<string, unknown> => {
    const values: Record<string, unknown> = {}
    for (const { name, isList, convert } of fields) {
      const given = source[name]
      if (given === undefined || given === '') continue
      if (isList) values[name] = (Array.isArray(given) ? given : [given]).filter((text) => text !== '').map(convert)
      else values[name] = typeof given === 'string' ? convert(given) : given
    }
    return values
  }
}
