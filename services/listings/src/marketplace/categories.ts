import type { CategoryHistory } from '../records.ts'

/**
 * The categories that a seller's history counts, with the words in a category's name that put it there. The first row that
 * matches wins, so a phone is no computer and a games console no general electronics.
 */
const categoryWords: readonly (readonly [key: string, words: RegExp])[] = [
  [
    'CELL_PHONES',
    /cell ?phone|smart ?phone|mobile phone|handys?\b|téléphon(?:ie|es) (?:mobile|portable)|cellulari|telefonini|móviles|telefony|gsm/i,
  ],
  [
    'VIDEO_GAMES',
    /video ?game|gaming|console|playstation|xbox|nintendo|konsole|jeux vidéo|videogioch|videojueg|gry wideo/i,
  ],
  [
    'COMPUTERS_TABLETS',
    /computer|tablet|laptop|notebook|chromebook|informatique|informatica|informática|ordenador|ordinateur|komputer/i,
  ],
  ['ELECTRONICS', /electronic|elektronik|électronique|elettronica|electrónica|elektronika|tv, (?:audio|video)/i],
]

/** The key under which a category counts in a seller's history; undefined for the many that do not. */
export const categoryKey = (name: string): string | undefined =>
  categoryWords.find(([, words]) => words.test(name))?.[0]

/** Adds up counts by category name into a history; null when none of the names has a key, since that says nothing. */
export const historyFrom = (counts: Iterable<readonly [name: string, count: number]>): CategoryHistory | null => {
  const history: Record<string, number> = {}
  for (const [name, count] of counts) {
    const key = categoryKey(name)
    if (key !== undefined) history[key] = (history[key] ?? 0) + count
  }
  return Object.keys(history).length === 0 ? null : history
}
