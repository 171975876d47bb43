import type { Ring } from './ring.ts'

/** Dropped events that may remain in the list before it is worth removing them. */
const maxDropped = 1_024

/**
 * Limits the bytes that all rings of a bus retain together. The list of events is in the order of publication; what rings drop
 * by their own limits remains in it until it outnumbers the rest, so that publishing costs no lookup.
 */
export const createRetention = (maxBytes: number) => {
  // Two arrays, because an object for each event costs more than the rest of its publication.
  let rings: Ring<unknown>[] = []
  let sequences: number[] = []
  /** Where the list begins: events before it are dropped. */
  let start = 0
  let count = 0
  let bytes = 0

  const isRetained = (index: number): boolean => {
    const oldest = rings[index]?.oldest()
    return oldest !== undefined && oldest <= (sequences[index] ?? 0)
  }

  const removeDropped = (): void => {
    const indexes = [...sequences.keys()].slice(start).filter(isRetained)
    rings = indexes.map((index) => rings[index] as Ring<unknown>)
    sequences = indexes.map((index) => sequences[index] as number)
    start = 0
  }

  return {
    /** Adds an event that is about to be pushed to a ring. */
    add: (ring: Ring<unknown>, sequence: number, size: number): void => {
      rings.push(ring)
      sequences.push(sequence)
      count += 1
      bytes += size
    },
    /** Subtracts an event that a ring has dropped. */
    dropped: (event: { readonly bytes: number }): void => {
      count -= 1
      bytes -= event.bytes
    },
    /** Drops the oldest events until the rest is within the limit; the newest is retained whatever its size. */
    limit: (): void => {
      while (bytes > maxBytes && count > 1) {
        if (isRetained(start)) rings[start]?.dropOldest()
        start += 1
      }
      if (sequences.length > 2 * count + maxDropped) removeDropped()
    },
    clear: (): void => {
      rings = []
      sequences = []
      start = 0
      count = 0
      bytes = 0
    },
  }
}
