import { hash } from 'node:crypto'

/** Which words have been seen in a place while all else of a form was the same. */
export type Evidence = {
  /** Notes the words of some places; gives how many there have been in the one that had the fewest, at most `most`. */
  note: (key: string, words: readonly string[]) => number
  has: (key: string) => boolean
}

/** Places that are remembered. What is forgotten only makes a template more general later. */
const mostKeys = 200_000

const numberOf = (text: string): number => Number.parseInt(hash('sha256', text, 'hex').slice(0, 13), 16)

/** Counts up to `most` different words in a place. */
export const createEvidence = (most: number): Evidence => {
  const seen = new Map<number, number[][]>()
  return {
    has: (key) => seen.has(numberOf(key)),
    note: (key, words) => {
      const number = numberOf(key)
      const places = seen.get(number) ?? words.map(() => [])
      if (!seen.has(number)) {
        const [oldest] = seen.size >= mostKeys ? seen.keys() : []
        if (oldest !== undefined) seen.delete(oldest)
        seen.set(number, places)
      }
      words.forEach((word, index) => {
        const known = places[index] ?? []
        const id = numberOf(word)
        if (known.length < most && !known.includes(id)) known.push(id)
      })
      return Math.min(...places.map(({ length }) => length))
    },
  }
}
