/** A feature vector, and whether the answer is yes. */
export type LabelledFeatures = { readonly features: readonly number[]; readonly isTrue: boolean }

export type LogisticModel = { readonly bias: number; readonly weights: readonly number[] }

const maxSteps = 50
const smallStep = 1e-6

/** Solves a system of linear equations, whose rows end with the right side, by elimination with pivots. */
const solve = (rows: number[][]): number[] => {
  const value = (row: number, column: number) => rows[row]?.[column] ?? 0
  const size = rows.length
  for (let column = 0; column < size; column++) {
    let pivot = column
    for (let row = column + 1; row < size; row++)
      if (Math.abs(value(row, column)) > Math.abs(value(pivot, column))) pivot = row
    const [upper = [], lower = []] = [rows[pivot], rows[column]]
    rows[column] = upper
    rows[pivot] = lower
    rows.forEach((row, index) => {
      if (index === column) return
      const factor = (row[column] ?? 0) / (upper[column] ?? 1)
      for (let at = column; at <= size; at++) row[at] = (row[at] ?? 0) - factor * (upper[at] ?? 0)
    })
  }
  return rows.map((row, index) => (row[size] ?? 0) / (row[index] ?? 1))
}

/**
 * Fits a logistic model by Newton's method, with an L2 penalty on the weights of features scaled to unit variance. Returns weights of the
 * unscaled features.
 */
export const fitLogistic = (examples: readonly LabelledFeatures[], penalty: number): LogisticModel => {
  const count = examples[0]?.features.length ?? 0
  const mean = (read: (example: LabelledFeatures) => number) =>
    examples.reduce((sum, example) => sum + read(example), 0) / examples.length
  const scales = Array.from({ length: count }, (_, i) => {
    const centre = mean(({ features }) => features[i] ?? 0)
    return { centre, spread: Math.sqrt(mean(({ features }) => ((features[i] ?? 0) - centre) ** 2)) || 1 }
  })
  const scaled = examples.map(({ features, isTrue }) => ({
    values: [1, ...scales.map(({ centre, spread }, i) => ((features[i] ?? 0) - centre) / spread)],
    target: isTrue ? 1 : 0,
  }))
  let weights = new Array<number>(count + 1).fill(0)
  for (let step = 0; step < maxSteps; step++) {
    const penalties = weights.map((_, i) => (i > 0 ? penalty : 0))
    const rows = weights.map((weight, i) => [
      ...weights.map((_, j) => (i === j ? (penalties[i] ?? 0) : 0)),
      (penalties[i] ?? 0) * weight,
    ])
    for (const { values, target } of scaled) {
      const probability = 1 / (1 + Math.exp(-values.reduce((sum, value, i) => sum + value * (weights[i] ?? 0), 0)))
      const curvature = Math.max(1e-6, probability * (1 - probability))
      for (const [i, row] of rows.entries()) {
        for (const [j, value] of values.entries()) row[j] = (row[j] ?? 0) + curvature * (values[i] ?? 0) * value
        row[count + 1] = (row[count + 1] ?? 0) + (probability - target) * (values[i] ?? 0)
      }
    }
    const change = solve(rows)
    weights = weights.map((weight, i) => weight - (change[i] ?? 0))
    if (Math.max(...change.map(Math.abs)) < smallStep) break
  }
  const [bias = 0, ...slopes] = weights
  const unscaled = slopes.map((weight, i) => weight / (scales[i]?.spread ?? 1))
  return {
    bias: bias - unscaled.reduce((sum, weight, i) => sum + weight * (scales[i]?.centre ?? 0), 0),
    weights: unscaled,
  }
}
