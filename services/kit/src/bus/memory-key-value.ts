import type { Bus } from './bus.ts'

type Stored = { bytes: Uint8Array; until: number }

/** Number of shared values past which a write sweeps expired ones. */
const sweepBeyond = 1_000

/** Shared values within one process. An update is synchronous, so that no other one can happen between its read and its write. */
export const createMemoryKeyValue = (now: () => number): { update: Bus['update']; clear: () => void } => {
  const values = new Map<string, Stored>()
  const sweep = () => {
    for (const [slot, { until }] of values) if (until <= now()) values.delete(slot)
  }
  return {
    update: async (shared, key, make) => {
      const slot = `${shared.name} ${key}`
      const stored = values.get(slot)
      const { value, result } = make(
        stored !== undefined && stored.until > now() ? shared.decode(stored.bytes) : undefined,
      )
      values.set(slot, { bytes: shared.encode(value), until: now() + shared.keepMilliseconds })
      if (values.size > sweepBeyond) sweep()
      return result
    },
    clear: () => values.clear(),
  }
}
