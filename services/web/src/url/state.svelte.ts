import { onDestroy } from 'svelte'
import { type Codec, formatValues, parseValue, type ValuesOf } from './codecs.ts'
import { here, type NavigateOptions, navigate } from './here.svelte.ts'

// biome-ignore lint/suspicious/noExplicitAny: any shape of fields
type AnyShape = Readonly<Record<string, Codec<any>>>

/** The value of one parameter. It changes only with its own text, so that what depends on it is left alone by the others. */
const fieldState = <Value>(name: string, codec: Codec<Value>) => {
  const text = $derived(here.parameters.get(name) ?? '')
  const parsed = $derived(parseValue(codec, text))
  return {
    get value(): Value {
      return parsed.value
    },
    get isRejected(): boolean {
      return parsed.isRejected
    },
  }
}

/**
 * The state of a page in its URL: `const state = urlState({ q: text(), live: flag() })`, then `state.values.q` and
 * `state.set({ q: 'disk' })`. Choices add to the history; pass `{ replace: true }` while the user types. Call it while a component is created, unless it
 * is of no page.
 */
export const urlState = <Fields extends AnyShape>(shape: Fields, { isOfPage = true }: { isOfPage?: boolean } = {}) => {
  let isLeft = false
  if (isOfPage)
    onDestroy(() => {
      isLeft = true
    })
  const fields = Object.entries(shape).map(([name, codec]) => [name, fieldState(name, codec)] as const)
  const values = {} as ValuesOf<Fields>
  for (const [name, field] of fields) Object.defineProperty(values, name, { enumerable: true, get: () => field.value })
  const searchWith = (change: Partial<ValuesOf<Fields>>): string => {
    const text = formatValues(shape, here.parameters, change).toString()
    return text === '' ? '' : `?${text}`
  }
  return {
    /** The value of each field, reactive for itself. */
    values,
    /** Names of parameters whose text means nothing: their fallbacks are used, and the page shows it. */
    get rejected(): readonly string[] {
      return fields.flatMap(([name, { isRejected }]) => (isRejected ? [name] : []))
    },
    /** Does nothing once the page was left, as when what it waits for is answered on another page. */
    set: (change: Partial<ValuesOf<Fields>>, options?: NavigateOptions): void => {
      if (here.isShown && !isLeft) navigate(here.path + searchWith(change), options)
    },
    /** The link to this page with a change. */
    link: (change: Partial<ValuesOf<Fields>>): string => here.path + searchWith(change),
  }
}
