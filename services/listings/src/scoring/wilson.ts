/** 95 % two-sided quantile of the normal distribution. */
const z = 1.96

/**
 * Lower bound of a share that was observed in `count` cases, with 95 % confidence (Wilson, 1927): few feedbacks prove little,
 * even if all are positive. Null without any case.
 */
export const wilsonLowerBound = (share: number, count: number): number | null => {
  if (count <= 0) return null
  const centre = share + z ** 2 / (2 * count)
  const spread = z * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2))
  return Math.max(0, (centre - spread) / (1 + z ** 2 / count))
}
