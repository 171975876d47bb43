import type { FoundListings } from '../records.ts'
import type { WorkerOutput } from './messages.ts'

/** Listings and sellers in one message: some 200 kB of JSON, where message brokers take a megabyte unless they are told otherwise. */
const maxInOne = 150

/** What a search found as messages of a size that any bus carries, in order. */
export const splitFound = ({ listings, sellers, usableShare }: FoundListings): readonly WorkerOutput[] => {
  const count = Math.max(1, Math.ceil(Math.max(listings.length, sellers.length) / maxInOne))
  return Array.from({ length: count }, (_, index) => {
    const [start, end] = [index * maxInOne, (index + 1) * maxInOne]
    return {
      kind: 'found',
      listings: listings.slice(start, end),
      sellers: sellers.slice(start, end),
      usableShare,
      toCome: count - 1 - index,
    }
  })
}

/** Puts together again what was split; whatever else a run hands over passes as it is. */
export const createJoiner = () => {
  let parts: FoundListings[] = []
  return {
    /** The run begins, or begins again: parts of before are worth nothing. */
    begin: () => {
      parts = []
    },
    /** The output with all that belongs to it; undefined while there is more to come. */
    join: (output: WorkerOutput): WorkerOutput | undefined => {
      if (output.kind !== 'found') return output
      parts.push(output)
      if (output.toCome > 0) return undefined
      const [listings, sellers] = [parts.flatMap((part) => part.listings), parts.flatMap((part) => part.sellers)]
      parts = []
      return { ...output, listings, sellers }
    },
  }
}
