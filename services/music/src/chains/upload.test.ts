import { expect, test } from 'vitest'
import { ingestSeconds } from './upload.ts'

/** Processor time of decoding and analysing a second of audio (docs/benchmarks.md), rounded up. */
const processorSeconds = 0.05

test('the longest upload may take its processor time eight times over, since other programs use the machine, too', () => {
  for (const longest of [1, 60, 1_200, 7_200])
    expect(ingestSeconds(longest)).toBeGreaterThanOrEqual(8 * processorSeconds * longest)
})
