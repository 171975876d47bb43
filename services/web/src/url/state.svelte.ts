import { type Codec, formatValues, parseValues, type ValuesOf } from './codecs.ts'
import { here, type NavigateOptions, navigate } from './here.svelte.ts'

// biome-ignore lint/suspicious/noExplicitAny: any shape of fields
type AnyShape = Readonly<Record<string, Codec<any>>>

/**
 * The state of a page in its URL: `const state = urlState({ q: text(), live: flag() })`, then `state.values.q` and
 * `state.set({ q: 'disk' })`. Choices add to the history; pass `{ replace: true }` while the user types.
 */
export const urlState = <Fields extends AnyShape>(shape: Fields) => {
  const parsed = $derived(parseValues(shape, here.parameters))
  const searchWith = (change: Partial<ValuesOf<Fields>>): string => {
    const text = formatValues(shape, here.parameters, change).toString()
    return text === '' ? '' : `?${text}`
  }
  return {
    get values(): ValuesOf<Fields> {
      return parsed.values
    },
    /** Names of parameters whose text means nothing: their fallbacks are used, and the page says so. */
    get rejected(): readonly string[] {
      return parsed.rejected
    },
    set: (change: Partial<ValuesOf<Fields>>, options?: NavigateOptions): void =>
      navigate(here.path + searchWith(change), options),
    /** The link to this page with a change. */
    link: (change: Partial<ValuesOf<Fields>>): string => here.path + searchWith(change),
  }
}
