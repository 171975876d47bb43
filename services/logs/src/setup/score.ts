const day = 86_400_000
const gigabyte = 1e9

/** 1 for a file that was modified just now, halved for each day since. */
export const recencyOf = (modifiedAt: number, now: number): number => 2 ** (-Math.max(0, now - modifiedAt) / day)

/** The logarithm of the size: 0 for an empty file, 1 from a gigabyte on; a hundredfold size adds about a quarter. */
export const sizeScoreOf = (bytes: number): number => Math.min(1, Math.log1p(bytes) / Math.log1p(gigabyte))

export type ScoreParts = { recency: number; size: number; match: number | undefined }

/** How well a file matches: by its age and size and, with a query, by its keywords. From 0 to 1. */
export const scoreOf = ({ recency, size, match }: ScoreParts): number =>
  match === undefined ? 0.7 * recency + 0.3 * size : 0.4 * recency + 0.2 * size + 0.4 * match

export type Matched = { keyword: string; where: 'path' | 'content' }

/** The share of the keywords that were found; one that is only in the content counts half. */
export const matchOf = (keywords: readonly string[], matched: readonly Matched[]): number =>
  keywords.length === 0
    ? 0
    : matched.reduce((sum, { where }) => sum + (where === 'path' ? 1 : 0.5), 0) / keywords.length
