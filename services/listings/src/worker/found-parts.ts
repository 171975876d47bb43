import type { FoundListings } from '../records.ts'
import type { WorkerOutput } from './messages.ts'

/** Listings and sellers in one message: about 200 kB of JSON, while message brokers accept a megabyte by default. */
const maxInOne = 150

/** Splits the results of a search into messages that any bus can carry, in order. */
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

/** Reassembles results that were split; other outputs of a run pass unchanged. */
export const createJoiner = () => {
  let parts: FoundListings[] = []
  return {
    /** The run starts or restarts: earlier parts are dropped. */
    begin: () => {
      parts = []
    },
    /** The complete output; undefined while parts are missing. */
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
