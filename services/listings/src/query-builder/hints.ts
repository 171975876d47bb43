import { type CategoryDb, type CategoryRow, matchCategories } from '../categories/store.ts'

/** Words of a description that categories are searched for: those of the first ten that are longer than two letters. */
const wordsOf = (description: string): readonly string[] =>
  description
    .split(/\s+/)
    .slice(0, 10)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => word.length > 2)

const maxMatches = 30
const maxUnmatched = 40

/** Categories that the model may choose from: those that a word of the description occurs in, else the first ones by name. */
export const categoryHints = async (
  db: CategoryDb,
  platform: string,
  description: string,
): Promise<readonly CategoryRow[]> => {
  const words = wordsOf(description)
  const matches = words.length === 0 ? [] : await matchCategories(db, platform, words, maxMatches)
  return matches.length > 0 ? matches : matchCategories(db, platform, [], maxUnmatched)
}
