import { createRandom, type Random } from '../src/dsp/random.ts'
import { envelope, formantLevel, harmonics } from './stem-pieces.ts'

export type Speaker = {
  readonly seconds: number
  readonly seed: number
  /** Pitch in the middle of a phrase (Hz). */
  readonly hertz: number
  /** Syllables a second within a phrase. */
  readonly pace: number
  readonly sampleRate: number
}

const semitones = (distance: number): number => 2 ** (distance / 12)

/** A vowel: its pitch moves, and its formants move to those of another. */
const vowel = (rate: number, seconds: number, pitch: readonly [number, number], random: Random): Float64Array => {
  const [from, to] = [Math.floor(random.next() * 4), Math.floor(random.next() * 4)]
  const bend = 1.5 * (random.next() - 0.3)
  const glide = (t: number) => {
    const share = t / seconds
    return pitch[0] * (pitch[1] / pitch[0]) ** share * semitones(bend * Math.sin(Math.PI * share))
  }
  return harmonics(seconds, rate, glide, (t, hertz) => {
    const share = Math.min(1, t / seconds)
    const loud = envelope(t, seconds, 0.015, 0.03)
    const count = Math.min(60, Math.floor(Math.min(rate * 0.45, 7_000) / hertz))
    return Float64Array.from({ length: count }, (_, h) => {
      const at = hertz * (h + 1)
      return (0.4 * loud * ((1 - share) * formantLevel(at, from) + share * formantLevel(at, to))) / (h + 1) ** 0.8
    })
  })
}

/** A consonant: a hiss, a closed mouth that opens with a burst, or a hum. */
const consonant = (rate: number, hertz: number, random: Random): Float64Array => {
  const kind = random.next()
  const seconds = kind < 0.4 ? 0.06 + 0.06 * random.next() : kind < 0.75 ? 0.07 : 0.05
  if (kind >= 0.75)
    return harmonics(
      seconds,
      rate,
      () => hertz,
      (t) => Float64Array.of(0.15 * envelope(t, seconds, 0.01, 0.01), 0.03),
    )
  const closed = kind < 0.4 ? 0 : 0.05
  let last = 0
  return Float64Array.from({ length: Math.round(seconds * rate) }, (_, i) => {
    const white = 2 * random.next() - 1
    // The difference of white noise is a hiss.
    const hiss = white - last
    last = white
    const t = i / rate - closed
    return t < 0 ? 0 : 0.06 * hiss * envelope(t, seconds - closed, closed > 0 ? 0.002 : 0.02, 0.015)
  })
}

/** Speech without a meaning, in mono: phrases of falling pitch, of words of one to three syllables, with pauses. */
export const speak = ({ seconds, seed, hertz, pace, sampleRate }: Speaker): Float32Array => {
  const random = createRandom(seed)
  const samples = new Float32Array(Math.round(seconds * sampleRate))
  const add = (at: number, sound: Float64Array) => {
    const start = Math.round(at * sampleRate)
    for (let i = 0; i < sound.length && start + i < samples.length; i++)
      samples[start + i] = (samples[start + i] ?? 0) + (sound[i] ?? 0)
    return sound.length / sampleRate
  }
  for (let time = 0.2; time < seconds; time += 0.25 + 0.5 * random.next()) {
    const syllables = 5 + Math.floor(random.next() * 9)
    for (let index = 0; index < syllables && time < seconds; index++) {
      const pitchAt = (share: number) => hertz * semitones(3 - 6 * share + 3 * (random.next() - 0.5))
      const pitch = [pitchAt(index / syllables), pitchAt((index + 1) / syllables)] as const
      time += add(time, consonant(sampleRate, pitch[0], random))
      time += add(time, vowel(sampleRate, (0.45 + 0.5 * random.next()) / pace, pitch, random))
      if (random.next() < 0.4) time += 0.06 * random.next()
    }
  }
  return samples
}
