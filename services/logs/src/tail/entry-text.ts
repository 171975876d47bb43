import { EntryToRest } from '@trellis/protos/edge/rest.ts'
import type { StoredEntry } from '../entries/entry.ts'
import { presentApart } from '../entries/present.ts'

/** By the entries that came in together: what each looks like to whoever follows, once somebody did. */
const known = new WeakMap<readonly StoredEntry[], (string | undefined)[]>()

const textOf = (entry: StoredEntry): string => {
  const { shown, fields } = presentApart(entry)
  return JSON.stringify({ ...EntryToRest(shown), fields })
}

/** An entry of an arrival as JSON, made once for all who follow. */
export const entryText = (entries: readonly StoredEntry[], index: number): string => {
  const texts = known.get(entries) ?? []
  if (texts.length === 0) known.set(entries, texts)
  const entry = entries[index]
  if (!entry) throw new RangeError(`There is no entry ${index} among those that came in.`)
  const text = texts[index] ?? textOf(entry)
  texts[index] = text
  return text
}
