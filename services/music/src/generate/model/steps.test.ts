import { describe, expect, test } from 'vitest'
import { createRandom } from '../../dsp/random.ts'
import { delayedColumns } from './autoregressive.ts'
import { noiseSchedule } from './noise-schedule.ts'
import { drawCode, normalNumbers } from './sampling.ts'

describe('columns of delayed codebooks', () => {
  test('begin with a column without codes, and delay each codebook by its own number of columns', () => {
    const { frameAt } = delayedColumns([0, 1, 2, 3])
    const frames = [0, 1, 2, 3, 4].map((column) => [0, 1, 2, 3].map((codebook) => frameAt(column, codebook)))
    expect(frames).toEqual([
      [-1, -2, -3, -4],
      [0, -1, -2, -3],
      [1, 0, -1, -2],
      [2, 1, 0, -1],
      [3, 2, 1, 0],
    ])
  })

  test('generation starts with the first column that has an unknown frame, and ends with the last code', () => {
    const { known, all, frameAt } = delayedColumns([0, 0, 1, 1])
    expect([frameAt(known(10), 0), frameAt(known(10), 2)]).toEqual([10, 9])
    expect(frameAt(all(12) - 1, 3)).toBe(11)
  })
})

describe('codes are drawn', () => {
  const logits = Float32Array.of(0, 3, 1, 2)

  test('from the most likely ones only', () => {
    const random = createRandom(1)
    const drawn = new Set(Array.from({ length: 500 }, () => drawCode(logits, { temperature: 5, topK: 2 }, random)))
    expect([...drawn].toSorted()).toEqual([1, 3])
  })

  test('as often as is probable', () => {
    const random = createRandom(2)
    const counts = [0, 0, 0, 0]
    for (let i = 0; i < 20_000; i++) {
      const code = drawCode(logits, { temperature: 2, topK: 4 }, random)
      counts[code] = (counts[code] ?? 0) + 1
    }
    const weights = [...logits].map((value) => Math.exp(value / 2))
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    for (const [code, weight] of weights.entries()) expect((counts[code] ?? 0) / 20_000).toBeCloseTo(weight / total, 1)
  })

  test('the same for the same seed', () => {
    const draw = () => {
      const random = createRandom(3)
      return Array.from({ length: 50 }, () => drawCode(logits, { temperature: 1, topK: 4 }, random))
    }
    expect(draw()).toEqual(draw())
  })
})

test('noise has mean 0 and deviation 1', () => {
  const values = normalNumbers(createRandom(4), 40_001)
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const power = values.reduce((sum, value) => sum + value * value, 0) / values.length
  expect([mean, power]).toEqual([expect.closeTo(0, 1), expect.closeTo(1, 1)])
})

const ddim = { type: 'ddim', steps: 5, train_steps: 100, beta_start: 0.001, beta_end: 0.05 } as const
describe.each([
  ['rectified flow', { type: 'rectified_flow', steps: 4, shift: 3 }, 'velocity'],
  ['DDIM of noise', { ...ddim, beta_schedule: 'linear', predicts: 'noise' }, 'noise'],
  ['DDIM of samples', { ...ddim, beta_schedule: 'scaled_linear', predicts: 'sample' }, 'sample'],
  ['DDIM of velocities', { ...ddim, beta_schedule: 'cosine', predicts: 'velocity' }, 'v'],
] as const)('the schedule of %s', (_, scheduler, predicted) => {
  const { levels, denoise } = noiseSchedule(scheduler)

  test('goes from most noise to none', () => {
    const noise = levels.map((level) => level.noise)
    expect(noise).toEqual(noise.toSorted((a, b) => b - a))
    expect([levels.length, levels.at(-1)]).toEqual([scheduler.steps + 1, { time: 0, signal: 1, noise: 0 }])
  })

  test('finds the clean and the random part from an exact estimate, at every level', () => {
    const [clean, random] = [0.7, -1.3]
    for (const level of levels.slice(0, -1)) {
      const { signal, noise } = level
      const value = signal * clean + noise * random
      const exact = { velocity: random - clean, noise: random, sample: clean, v: signal * random - noise * clean }
      const found = denoise(value, exact[predicted], level)
      expect(found.clean).toBeCloseTo(clean, 5)
      expect(found.random).toBeCloseTo(random, 5)
    }
  })
})
