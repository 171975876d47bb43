const maxShown = 5

/** Insertions, deletions and changes that make one text another (Levenshtein). */
const distance = (left: string, right: string): number => {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++) {
      const changed = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[right.length] ?? 0
}

/** Whether two words are meant to be one: one begins with the other, or a letter in three is off. */
const isLike = (left: string, right: string): boolean =>
  left.startsWith(right) || right.startsWith(left) || distance(left, right) <= Math.floor(left.length / 3)

const wordsOf = (name: string) => name.split(/[^a-z0-9]+/).filter((word) => word.length > 2)

/** Names that somebody may have meant, at most five, the nearest first: a few letters away, or with a word in common or nearly so. */
export const nearestNames = (wanted: string, names: readonly string[]): string[] => {
  const meant = wanted.toLowerCase().slice(0, 64)
  const words = wordsOf(meant)
  return names
    .map((name) => {
      const isPart = words.some((word) => wordsOf(name).some((own) => isLike(word, own)))
      const edits = distance(meant, name)
      return { name, rank: isPart ? edits / 4 : edits, isNear: isPart || edits <= Math.max(2, meant.length / 3) }
    })
    .filter(({ isNear }) => isNear)
    .toSorted((a, b) => a.rank - b.rank || a.name.localeCompare(b.name))
    .slice(0, maxShown)
    .map(({ name }) => name)
}
