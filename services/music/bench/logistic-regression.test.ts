import { expect, test } from 'vitest'
import { createRandom } from '../src/dsp/random.ts'
import { fitLogistic } from './logistic-regression.ts'

test('weights that are fitted are those that the examples were drawn with', () => {
  const random = createRandom(3)
  const examples = Array.from({ length: 5_000 }, () => {
    const features = [4 * random.next() - 2, 20 * random.next()]
    const odds = 1 + 2 * (features[0] ?? 0) - 0.1 * (features[1] ?? 0)
    return { features, isTrue: random.next() < 1 / (1 + Math.exp(-odds)) }
  })
  const { bias, weights } = fitLogistic(examples, 0)
  const [steep = 0, flat = 0] = weights
  expect(Math.abs(bias - 1)).toBeLessThan(0.2)
  expect(Math.abs(steep - 2)).toBeLessThan(0.2)
  expect(Math.abs(flat + 0.1)).toBeLessThan(0.02)
})
