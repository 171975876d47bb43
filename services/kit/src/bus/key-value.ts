import type { Codec } from './codec.ts'

/** Small values that processes share and change together, one for each key. */
export type KeyValue<Value> = Codec<Value> & {
  name: string
  /** A value that nobody has changed for so long is forgotten. */
  keepMilliseconds: number
}

/** What a change makes of a value, and what whoever made it wants to know of it. */
export type Update<Value, Result> = { value: Value; result: Result }

/** Declares shared values: `const standings = shared({ name: 'listings.standings', ...jsonCodec<Standing>() })`. Kept for a day unless told. */
export const shared = <Value>(
  declaration: Codec<Value> & { name: string; keepMilliseconds?: number },
): KeyValue<Value> => ({ keepMilliseconds: 86_400_000, ...declaration })
