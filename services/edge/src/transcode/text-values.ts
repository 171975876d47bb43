import type { TextKind } from '@trellis/protos/edge/routes.ts'

/** Each character can match in one way only, since trying several takes quadratic time for a long text. */
const numeric = /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*$/
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

/** Converts a text to its kind; invalid text stays text, so that the validation reports it with its location. */
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
 * Creates the reader of path, query and header texts: converts numbers and booleans, and single values of lists to lists. An empty
 * text counts as absent; names that the table does not list are ignored.
 */
export const textReader = (kinds: Record<string, TextKind>) => {
  const fields = (Object.entries(kinds) as [string, TextKind][]).map(fieldOf)
  return (source: Record<string, unknown>): Record<string, unknown> => {
    const values: Record<string, unknown> = {}
    for (const { name, isList, convert } of fields) {
      const raw = source[name]
      if (raw === undefined || raw === '') continue
      if (isList) values[name] = (Array.isArray(raw) ? raw : [raw]).filter((text) => text !== '').map(convert)
      else values[name] = typeof raw === 'string' ? convert(raw) : raw
    }
    return values
  }
}
