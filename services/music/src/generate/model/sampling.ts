import type { Random } from '../../dsp/random.ts'

export type Sampling = {
  readonly temperature: number
  /** Of how many of the most likely codes one is drawn. */
  readonly topK: number
}

/** Draws an index by the probabilities that logits stand for, of the `topK` most likely ones; of equal ones the first counts. */
export const drawCode = (logits: Float32Array, { temperature, topK }: Sampling, random: Random): number => {
  // Drawn even if there is no choice, so that later draws do not depend on it.
  const point = random.next()
  const order = Array.from(logits.keys()).sort((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0) || a - b)
  const candidates = order.slice(0, topK)
  const largest = logits[candidates[0] ?? 0] ?? 0
  const weights = candidates.map((index) => Math.exp(((logits[index] ?? 0) - largest) / temperature))
  let left = point * weights.reduce((sum, weight) => sum + weight, 0)
  for (const [place, weight] of weights.entries()) {
    left -= weight
    if (left < 0) return candidates[place] ?? 0
  }
  return candidates.at(-1) ?? 0
}

/** Normally distributed numbers, of mean 0 and deviation 1 (Box and Muller, 1958). */
export const normalNumbers = (random: Random, count: number): Float32Array => {
  const values = new Float32Array(count)
  for (let i = 0; i < count; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(1 - random.next()))
    const angle = 2 * Math.PI * random.next()
    values[i] = radius * Math.cos(angle)
    if (i + 1 < count) values[i + 1] = radius * Math.sin(angle)
  }
  return values
}
