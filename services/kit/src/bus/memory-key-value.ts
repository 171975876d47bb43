import type { Bus } from './bus.ts'

type Kept = { bytes: Uint8Array; until: number }

/** Shared values beyond which those that have outlived their keeping are looked for. */
const sweepBeyond = 1_000

/** Shared values within one process: a change is made at once, so none comes between its reading and its writing. */
export const createMemoryKeyValue = (now: () => number): { change: Bus['change']; clear: () => void } => {
  const values = new Map<string, Kept>()
  const sweep = () => {
    for (const [place, { until }] of values) if (until <= now()) values.delete(place)
  }
  return {
    change: async (shared, key, make) => {
      const place = `${shared.name} ${key}`
      const kept = values.get(place)
      const { value, result } = make(kept !== undefined && kept.until > now() ? shared.decode(kept.bytes) : undefined)
      values.set(place, { bytes: shared.encode(value), until: now() + shared.keepMilliseconds })
      if (values.size > sweepBeyond) sweep()
      return result
    },
    clear: () => values.clear(),
  }
}
