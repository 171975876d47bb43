/** The distinct words seen in the variable positions of forms that are otherwise equal; forms and words are identified by fingerprints. */
export type Evidence = {
  /** Notes the words in some positions of a form. Returns the smallest number of distinct words in any of them, at most `max`. */
  note: (form: number, words: readonly number[]) => number
  /** Whether any word was noted in place of the wildcards of a form. */
  has: (form: number) => boolean
}

/** Maximum number of forms; beyond it the oldest is evicted, which only delays the generalisation of a template. */
const maxForms = 200_000

/** Counts up to `max` distinct words per position. */
export const createEvidence = (max: number): Evidence => {
  const seen = new Map<number, number[][]>()
  return {
    has: (form) => seen.has(form),
    note: (form, words) => {
      const positions = seen.get(form) ?? words.map(() => [])
      if (!seen.has(form)) {
        const [oldest] = seen.size >= maxForms ? seen.keys() : []
        if (oldest !== undefined) seen.delete(oldest)
        seen.set(form, positions)
      }
      words.forEach((word, index) => {
        const known = positions[index] ?? []
        if (known.length < max && !known.includes(word)) known.push(word)
      })
      return Math.min(...positions.map(({ length }) => length))
    },
  }
}
