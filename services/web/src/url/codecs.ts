/** How a value is written in the URL. `parse` returns undefined for text that means nothing, and then the fallback is used. */
export type Codec<Value> = {
  fallback: Value
  parse: (text: string) => Value | undefined
  format: (value: Value) => string
}

export type Shape = Readonly<Record<string, Codec<never>>>
// biome-ignore lint/suspicious/noExplicitAny: inference of the values of any shape
export type ValuesOf<Fields extends Readonly<Record<string, Codec<any>>>> = {
  [Name in keyof Fields]: Fields[Name] extends Codec<infer Value> ? Value : never
}

export const text = (fallback = ''): Codec<string> => ({ fallback, parse: (value) => value, format: (value) => value })

export const flag = (fallback = false): Codec<boolean> => ({
  fallback,
  parse: (value) => (value === '1' ? true : value === '0' ? false : undefined),
  format: (value) => (value ? '1' : '0'),
})

/** A number between bounds; null if absent. */
export const number = (min = -Infinity, max = Infinity, fallback: number | null = null): Codec<number | null> => ({
  fallback,
  parse: (value) => {
    const parsed = Number(value)
    return value.trim() !== '' && parsed >= min && parsed <= max ? parsed : undefined
  },
  format: (value) => (value === null ? '' : String(value)),
})

export const oneOf = <const Word extends string>(words: readonly Word[], fallback: Word): Codec<Word> => ({
  fallback,
  parse: (value) => words.find((word) => word === value),
  format: (value) => value,
})

/** A word of a list as the URL has it: names of files, and so of sources, may contain commas. */
export const listed = (word: string): string => word.replaceAll('%', '%25').replaceAll(',', '%2C')
const unlisted = (part: string): string => part.replaceAll(/%2C/gi, ',').replaceAll('%25', '%')

/** Words separated by commas, in the order of their choice; each counts once, however often it is written. */
export const list = (): Codec<readonly string[]> => ({
  fallback: [],
  parse: (value) => {
    const words = value.split(',').filter((part) => part !== '')
    return [...new Set(words.map(unlisted))]
  },
  format: (value) => value.map(listed).join(','),
})

// biome-ignore lint/suspicious/noExplicitAny: any shape of fields
type AnyShape = Readonly<Record<string, Codec<any>>>

/** The value that a text stands for. A text that means nothing is rejected, and stands for the fallback. */
export const parseValue = <Value>(
  { fallback, parse }: Pick<Codec<Value>, 'fallback' | 'parse'>,
  text: string,
): { value: Value; isRejected: boolean } => {
  if (text === '') return { value: fallback, isRejected: false }
  const parsed = parse(text)
  return { value: parsed ?? fallback, isRejected: parsed === undefined }
}

/** The parameters with changed values; those with their fallback are left out, so that the URL has only what was chosen. */
export const formatValues = <Fields extends AnyShape>(
  shape: Fields,
  parameters: URLSearchParams,
  change: Partial<ValuesOf<Fields>>,
): URLSearchParams => {
  const changed = new URLSearchParams(parameters)
  for (const [name, value] of Object.entries(change)) {
    const codec = shape[name]
    if (codec === undefined) continue
    const written = codec.format(value)
    if (written === '' || written === codec.format(codec.fallback)) changed.delete(name)
    else changed.set(name, written)
  }
  return changed
}
