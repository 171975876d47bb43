const notes = ['C', 'C#', 'D', 'D#', 'E', 'F', 'F#', 'G', 'G#', 'A', 'A#', 'B'] as const

/** How well each degree fits a key in listeners' ears (Krumhansl and Kessler 1982), from the tonic upwards. */
const profiles: Record<'major' | 'minor', readonly number[]> = {
  major: [6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88],
  minor: [6.33, 2.68, 3.52, 5.38, 2.6, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17],
}

/** A key by name, such as "F major" or "C# minor", and how well it fits (correlation, -1..1). */
export type Key = {
  readonly name: string
  readonly fit: number
}

/** Fits below this are not a key: noise, drums, silence. */
const minFit = 0.45

const correlation = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  const mean = (values: ArrayLike<number>) => Array.from(values).reduce((sum, value) => sum + value, 0) / values.length
  const [meanA, meanB] = [mean(a), mean(b)]
  let [product, squaresA, squaresB] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [(a[i] ?? 0) - meanA, (b[i] ?? 0) - meanB]
    product += x * y
    squaresA += x * x
    squaresB += y * y
  }
  return squaresA * squaresB > 0 ? product / Math.sqrt(squaresA * squaresB) : 0
}

/** The key that twelve pitch-class strengths (from C) fit best, or null if none fits. */
export const estimateKey = (chroma: ArrayLike<number>): Key | null => {
  let best: Key | null = null
  for (const mode of ['major', 'minor'] as const) {
    for (const [tonic, note] of notes.entries()) {
      const profile = Array.from({ length: 12 }, (_, i) => profiles[mode][(i - tonic + 12) % 12] ?? 0)
      const fit = correlation(chroma, profile)
      if (fit > (best?.fit ?? minFit)) best = { name: `${note} ${mode}`, fit }
    }
  }
  return best
}
