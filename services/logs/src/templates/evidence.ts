/** Which words have been seen in a place while all else of a form was the same; forms and words are known by their fingerprints. */
export type Evidence = {
  /** Notes the words of some places of a form; gives how many there have been in the one that had the fewest, at most `most`. */
  note: (form: number, words: readonly number[]) => number
  /** Whether any word was noted in place of the wildcards of a form. */
  has: (form: number) => boolean
}

/** Forms that are remembered. What is forgotten only makes a template more general later. */
const maxForms = 200_000

/** Counts up to `most` different words in a place. */
export const createEvidence = (max: number): Evidence => {
  const seen = new Map<number, number[][]>()
  return {
    has: (form) => seen.has(form),
    note: (form, words) => {
      const places = seen.get(form) ?? words.map(() => [])
      if (!seen.has(form)) {
        const [oldest] = seen.size >= maxForms ? seen.keys() : []
        if (oldest !== undefined) seen.delete(oldest)
        seen.set(form, places)
      }
      words.forEach((word, index) => {
        const known = places[index] ?? []
        if (known.length < max && !known.includes(word)) known.push(word)
      })
      return Math.min(...places.map(({ length }) => length))
    },
  }
}
