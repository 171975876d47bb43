import type { Codec } from './codec.ts'

/** Small values that processes share and update concurrently, one for each key. */
export type KeyValue<Value> = Codec<Value> & {
  name: string
  /** A value expires when it has not been changed for this long. */
  keepMilliseconds: number
}

/** The new value, and the result for the caller of `update`. */
export type Update<Value, Result> = { value: Value; result: Result }

/** Declares shared values: `const standings = shared({ name: 'listings.standings', ...jsonCodec<Standing>() })`. Default expiry: a day. */
export const shared = <Value>(
  declaration: Codec<Value> & { name: string; keepMilliseconds?: number },
): KeyValue<Value> => ({ keepMilliseconds: 86_400_000, ...declaration })
