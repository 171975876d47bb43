import type { CategoryHistory } from '../records.ts'

/**
 * Categories counted in a seller's history, with the words of a category's name that map to each. The first matching row wins,
 * so phones do not count as computers, nor game consoles as general electronics.
 */
const categoryWords: readonly (readonly [key: string, words: RegExp])[] = [
  [
    'CELL_PHONES',
    /cell ?phone|smart ?phone|mobile phone|handys?\b|téléphonie|téléphones (?:mobile|portable)|cellulari|telefonini|telefonia|móviles|mobiele telefo|telefonie\b|telefony|gsm/i,
  ],
  [
    'VIDEO_GAMES',
    /video ?game|gaming|console|playstation|xbox|nintendo|konsole|videospiel|jeux vidéo|videogioch|videojueg|gry wideo/i,
  ],
  [
    'COMPUTERS_TABLETS',
    /computer|tablet|laptop|notebook|chromebook|informatique|informatica|informática|ordenador|ordinateur|komputer/i,
  ],
  [
    'ELECTRONICS',
    /electronic|elektroni[ck]|électronique|elettronica|electrónica|tv, (?:audio|video)|image, son|imagen y sonido|audio, tv/i,
  ],
]

/** The key of a category in a seller's history; undefined for the many categories that are not counted. */
export const categoryKey = (name: string): string | undefined =>
  categoryWords.find(([, words]) => words.test(name))?.[0]

/** Sums counts by category name into a history; null if no name has a key, since that is no information. */
export const historyFrom = (counts: Iterable<readonly [name: string, count: number]>): CategoryHistory | null => {
  const history: Record<string, number> = {}
  for (const [name, count] of counts) {
    const key = categoryKey(name)
    if (key !== undefined) history[key] = (history[key] ?? 0) + count
  }
  return Object.keys(history).length === 0 ? null : history
}
