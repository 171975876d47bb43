/** One entry: how sure somebody was that it is one of those looked for, and whether it is. */
export type Ranked = { score: number; isRight: boolean }

/**
 * Average precision: the mean, over all that is right, of how much of what stands before it or beside it is. Entries of the same score stand
 * beside each other, so that no order among them is made up.
 */
export const averagePrecision = (entries: readonly Ranked[]): number => {
  const right = entries.filter(({ isRight }) => isRight).length
  if (right === 0) return Number.NaN
  let before = 0
  let found = 0
  let sum = 0
  for (const [, level] of [...Map.groupBy(entries, ({ score }) => score)].toSorted(([a], [b]) => b - a)) {
    const hits = level.filter(({ isRight }) => isRight).length
    before += level.length
    found += hits
    sum += (hits * found) / before
  }
  return sum / right
}

/** Of those from a score on: how many are right, and how many of the right they are. NaN where there are none. */
export const precisionAndRecall = (entries: readonly Ranked[], min: number): { precision: number; recall: number } => {
  const flagged = entries.filter(({ score }) => score >= min)
  const hits = flagged.filter(({ isRight }) => isRight).length
  const right = entries.filter(({ isRight }) => isRight).length
  return { precision: hits / flagged.length, recall: hits / right }
}
