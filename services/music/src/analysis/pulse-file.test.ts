import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { playPlain } from '../../test/plain-pieces.ts'
import { listen } from './analyse.ts'
import { decodePulse, type PulseEvidence, pulseEvidence } from './pulse.ts'
import { storedPulses } from './pulse-file.ts'

const measuredOf = (seed: number) => {
  const { samples } = playPlain({ metre: '4/4', style: 'drums and bass', bpm: 120, seconds: 12, seed })
  const { spectral, flux, chroma } = listen(samples)
  return { spectral, flux, chroma }
}

/** The file of the pulse of some evidence. */
const fileOf = (evidence: PulseEvidence): Uint8Array => {
  const pulses = storedPulses([])
  pulses.find(evidence)
  return pulses.encoded() ?? new Uint8Array(0)
}

/** The file without its beats: an analysis that uses it finds no pulse. */
const emptied = (file: Uint8Array): Uint8Array =>
  Buffer.concat([file.subarray(0, 32), new Uint8Array(Uint32Array.of(0xffffffff, 0).buffer)])

describe('a stored pulse', () => {
  const measured = measuredOf(1)
  const file = fileOf(pulseEvidence(measured, 20))
  const decoded = decodePulse(pulseEvidence(measured, 20))
  let evidence: PulseEvidence
  beforeEach(() => {
    evidence = pulseEvidence(measured, 20)
  })

  test('is that which the bar pointer finds, to the precision of its probabilities', () => {
    const found = storedPulses([fileOf(pulseEvidence(measuredOf(2), 20)), file]).find(evidence)
    expect(decoded?.frames.length).toBeGreaterThan(20)
    expect(found).toEqual({ ...decoded, downbeats: decoded?.downbeats.map(Math.fround) })
  })

  test('is used instead of listening again, also if there was none', () => {
    const isNotAsked = () => {
      throw new Error('The odds were computed')
    }
    for (const stored of [file, emptied(file)]) {
      const known = storedPulses([stored])
      expect(known.find({ ...evidence, odds: isNotAsked })?.frames).toEqual(
        stored === file ? decoded?.frames : undefined,
      )
      expect(known.encoded()).toEqual(Buffer.from(stored))
    }
  })

  const changed = (values: Float32Array) => values.map((value, i) => (i === 77 ? value + 0.5 : value))
  test.each<[string, (evidence: PulseEvidence) => PulseEvidence]>([
    ['levels', (of) => ({ ...of, spectral: { ...of.spectral, levels: changed(of.spectral.levels) } })],
    ['flux', (of) => ({ ...of, flux: changed(of.flux) })],
    ['harmony', (of) => ({ ...of, chroma: { ...of.chroma, values: changed(of.chroma.values) } })],
    ['a beginning', (of) => ({ ...of, firstSound: 63 })],
  ])('is not that of a sound of other %s', (_, change) => {
    expect(storedPulses([emptied(file)]).find(change(evidence))).toBeDefined()
  })

  const spoilt: [string, (file: Uint8Array) => Uint8Array][] = [
    ['empty', () => new Uint8Array(0)],
    ['a fingerprint alone', (file) => file.subarray(0, 32)],
    ['truncated', (file) => file.subarray(0, file.length - 4)],
    ['truncated within a number', (file) => file.subarray(0, file.length - 3)],
    ['too long', (file) => Buffer.concat([file, new Uint8Array(4)])],
    ['of an unknown metre', (file) => file.map((byte, i) => (i === 32 ? 200 : byte))],
  ]
  test.each(spoilt)('is decoded again if its file is %s', (_, spoil) => {
    expect(storedPulses([spoil(file)]).find(evidence)).toEqual(decoded)
  })
})

/**
 * Stored pulses are used as long as the version of pulse files, the weights and the tables of the bar pointer are the same: if this
 * test fails because inputs of the network or the bar pointer were changed, increase the version, then replace the digest.
 */
test('the bar pointer finds the beats that its version stands for', () => {
  const pulses = [1, 2].map((seed) => decodePulse(pulseEvidence(measuredOf(seed), 20)))
  const digest = createHash('sha256').update(JSON.stringify(pulses.map((pulse) => pulse?.frames)))
  expect(digest.digest('hex').slice(0, 16)).toBe('59e4e9e5a1ebda15')
})
