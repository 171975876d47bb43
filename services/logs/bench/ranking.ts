/** A classified entry: its score, and whether it is relevant. */
export type Ranked = { score: number; isRelevant: boolean }

/**
 * Average precision: the mean, over all relevant entries, of the precision at their rank. Entries of equal score share a rank, so that no order
 * among them is invented.
 */
export const averagePrecision = (entries: readonly Ranked[]): number => {
  const relevant = entries.filter(({ isRelevant }) => isRelevant).length
  if (relevant === 0) return Number.NaN
  let before = 0
  let found = 0
  let sum = 0
  for (const [, level] of [...Map.groupBy(entries, ({ score }) => score)].toSorted(([a], [b]) => b - a)) {
    const hits = level.filter(({ isRelevant }) => isRelevant).length
    before += level.length
    found += hits
    sum += (hits * found) / before
  }
  return sum / relevant
}

/** Precision and recall of the entries from a score on. NaN if there are none. */
export const precisionAndRecall = (entries: readonly Ranked[], min: number): { precision: number; recall: number } => {
  const flagged = entries.filter(({ score }) => score >= min)
  const hits = flagged.filter(({ isRelevant }) => isRelevant).length
  const relevant = entries.filter(({ isRelevant }) => isRelevant).length
  return { precision: hits / flagged.length, recall: hits / relevant }
}
