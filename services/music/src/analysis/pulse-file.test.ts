import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../dsp/random.ts'
import type { Activations } from './activations.ts'
import { decodePulse, type PulseEvidence } from './pulse.ts'
import { storedPulses } from './pulse-file.ts'

const FRAMES = 1_600

/** Evidence of a pulse at every 43rd frame in bars of four, and noise. */
const activationsOf = (seed = 1): Activations => {
  const random = createRandom(seed)
  const curve = (period: number, strength: number) =>
    Float32Array.from({ length: FRAMES }, (_, i) => (i % period === 20 ? strength : 0.3 * random.next()))
  return {
    frames: FRAMES,
    onset: curve(43, 1),
    accent: curve(43, 1),
    low: curve(4 * 43, 1.2),
    snare: curve(2 * 43, 0.5),
    chords: curve(4 * 43, 1),
    harmony: curve(4 * 43, 1),
  }
}

const chroma = { frames: 200, values: new Float32Array(12 * 200).fill(1 / 12) }
const evidence = (seed = 1): PulseEvidence => ({ activations: activationsOf(seed), chroma, firstSound: 20 })

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
  const decoded = decodePulse(evidence())

  test('is that which the bar pointer finds', () => {
    expect(decoded?.frames.length).toBeGreaterThan(30)
    expect(storedPulses([fileOf(evidence(2)), fileOf(evidence())]).find(evidence())).toEqual(decoded)
  })

  test('is used instead of decoding it again, also if there was none', () => {
    const known = storedPulses([emptied(fileOf(evidence()))])
    expect(known.find(evidence())).toBeUndefined()
    expect(known.encoded()).toEqual(emptied(fileOf(evidence())))
  })

  const changed = (key: keyof Omit<Activations, 'frames'> | 'chroma'): PulseEvidence => {
    const { activations, firstSound } = evidence()
    if (key !== 'chroma') activations[key][77] = 0.5
    const values = chroma.values.map((value, i) => (key === 'chroma' && i === 77 ? 0.5 : value))
    return { activations, chroma: { ...chroma, values }, firstSound }
  }
  test.each(['onset', 'accent', 'low', 'snare', 'chords', 'harmony', 'chroma'] as const)(
    'is not that of other evidence: %s',
    (key) => {
      const files = [emptied(fileOf(evidence()))]
      expect(storedPulses(files).find(changed(key))).toEqual(decodePulse(changed(key)))
    },
  )

  test('is not that of a sound that begins elsewhere', () => {
    const later = { ...evidence(), firstSound: 63 }
    expect(storedPulses([emptied(fileOf(evidence()))]).find(later)).toEqual(decodePulse(later))
  })

  const spoilt: [string, (file: Uint8Array) => Uint8Array][] = [
    ['empty', () => new Uint8Array(0)],
    ['a fingerprint alone', (file) => file.subarray(0, 32)],
    ['truncated', (file) => file.subarray(0, file.length - 4)],
    ['truncated within a number', (file) => file.subarray(0, file.length - 3)],
    ['too long', (file) => Buffer.concat([file, new Uint8Array(4)])],
    ['of an unknown bar', (file) => file.map((byte, i) => (i === 32 ? 200 : byte))],
  ]
  test.each(spoilt)('is decoded again if its file is %s', (_, spoil) => {
    expect(storedPulses([spoil(fileOf(evidence()))]).find(evidence())).toEqual(decoded)
  })
})

/**
 * Stored pulses are used as long as the version of pulse files and the tables of the bar pointer are the same: if this test fails
 * because the bar pointer was changed, increase the version, then replace the digest.
 */
test('the bar pointer finds the beats that its version stands for', () => {
  const beats = [1, 2].map((seed) => decodePulse(evidence(seed)))
  const digest = createHash('sha256').update(JSON.stringify(beats.map((pulse) => pulse?.frames)))
  expect(digest.digest('hex').slice(0, 16)).toBe('3019a23c8caa261a')
})
