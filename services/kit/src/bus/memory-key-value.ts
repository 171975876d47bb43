import type { Bus } from './bus.ts'

type Stored = { bytes: Uint8Array; until: number }

/** Shared values beyond which those that have outlived their keeping are looked for. */
const sweepBeyond = 1_000

/** Shared values within one process: a change is made at once, so none comes between its reading and its writing. */
export const createMemoryKeyValue = (now: () => number): { update: Bus['update']; clear: () => void } => {
  const values = new Map<string, Stored>()
  const sweep = () => {
    for (const [place, { until }] of values) if (until <= now()) values.delete(place)
  }
  return {
    update: async (shared, key, make) => {
      const place = `${shared.name} ${key}`
      const stored = values.get(place)
      const { value, result } = make(
        stored !== undefined && stored.until > now() ? shared.decode(stored.bytes) : undefined,
      )
      values.set(place, { bytes: shared.encode(value), until: now() + shared.keepMilliseconds })
      if (values.size > sweepBeyond) sweep()
      return result
    },
    clear: () => values.clear(),
  }
}
