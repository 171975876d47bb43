import { type Block, silentBlock } from '../src/audio/pcm.ts'
import { createRandom } from '../src/dsp/random.ts'

/** A synthesised piece whose true tempo, beats and key are known. */
export type Piece = {
  readonly sampleRate: number
  readonly block: Block
  /** Times of the beats in seconds; the first is a downbeat. */
  readonly beats: readonly number[]
  readonly beatsPerBar: number
  readonly bpm: number
  readonly key: string
}

export type Score = {
  readonly bpm?: number
  readonly bars?: number
  readonly beatsPerBar?: 3 | 4
  /** Tonic as a MIDI note number. */
  readonly tonic?: number
  readonly mode?: 'major' | 'minor'
  readonly sampleRate?: number
  readonly channels?: 1 | 2
  readonly drums?: boolean
  readonly seed?: number
  /** Silence before the first beat, in seconds. */
  readonly lead?: number
}

/** Names of tonics as musicians write them. */
const tonics = {
  major: ['C', 'Db', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'Ab', 'A', 'Bb', 'B'],
  minor: ['C', 'C#', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'G#', 'A', 'Bb', 'B'],
} as const
const scales = { major: [0, 2, 4, 5, 7, 9, 11], minor: [0, 2, 3, 5, 7, 8, 10] }
/** Degrees of the chords, one a bar: I V vi IV and the like, twice the same four and then another four. */
const progression = [0, 4, 5, 3, 0, 4, 5, 3, 5, 3, 0, 4, 1, 3, 4, 4]

const hertzOf = (note: number): number => 440 * 2 ** ((note - 69) / 12)

/** A function that renders a number of frames of a sound at a rate. Called for each channel: noise differs between them. */
type Sound = (frames: number, rate: number) => Float64Array

/** Adds a sound that begins at `time` (s), cut at `length` seconds with a short release. */
const addSound = (block: Block, rate: number, time: number, length: number, pan: number, sound: Sound) => {
  const start = Math.round(time * rate)
  const frames = Math.round(length * rate)
  const release = Math.min(frames, Math.round(0.01 * rate))
  for (const [index, channel] of block.entries()) {
    const gain = block.length === 1 ? 1 : index === 0 ? Math.cos((pan * Math.PI) / 2) : Math.sin((pan * Math.PI) / 2)
    const count = Math.min(frames, channel.length - start)
    const samples = sound(Math.max(0, count), rate)
    for (let i = 0; i < count; i++) {
      const fade = Math.min(1, (frames - i) / release)
      channel[start + i] = (channel[start + i] ?? 0) + gain * fade * (samples[i] ?? 0)
    }
  }
}

/** A sound whose samples are a function of the time since its start. */
const overTime =
  (value: (t: number) => number): Sound =>
  (frames, rate) =>
    Float64Array.from({ length: frames }, (_, i) => value(i / rate))

const kick = overTime((t) => 0.5 * Math.exp(-t * 18) * Math.sin(2 * Math.PI * (50 * t + 6 * (1 - Math.exp(-t * 40)))))

/** Six decaying harmonics, each computed as a shrinking rotation, since a sine and an exponential per sample would dominate test time. */
const pluck = (hertz: number, decay: number, gain: number): Sound => {
  let made = new Float64Array()
  return (frames, rate) => {
    if (made.length === frames) return made
    made = new Float64Array(frames)
    for (let harmonic = 1; harmonic <= 6; harmonic++) {
      const angle = (2 * Math.PI * hertz * harmonic) / rate
      const shrink = Math.exp((-decay * harmonic) / rate)
      const [cos, sin] = [shrink * Math.cos(angle), shrink * Math.sin(angle)]
      let [real, imaginary] = [gain / harmonic, 0]
      for (let i = 0; i < frames; i++) {
        made[i] = (made[i] ?? 0) + imaginary * Math.min(1, (i / rate) * 400)
        const next = real * cos - imaginary * sin
        imaginary = real * sin + imaginary * cos
        real = next
      }
    }
    return made
  }
}

/** A small band (kick, snare, hat, bass, chords, a melody) that plays a score; the same score yields the same samples. */
export const playBand = (score: Score = {}): Piece => {
  const { bpm = 120, bars = 16, beatsPerBar = 4, tonic = 60, mode = 'major', sampleRate = 44_100 } = score
  const { channels = 2, drums = true, seed = 1, lead = 0 } = score
  const random = createRandom(seed)
  const beat = 60 / bpm
  const total = bars * beatsPerBar
  const block = silentBlock(channels, Math.round((lead + total * beat) * sampleRate))
  const add = (time: number, length: number, pan: number, sound: Sound) =>
    addSound(block, sampleRate, lead + time, length, pan, sound)
  const noise = (decay: number, gain: number) => overTime((t) => gain * Math.exp(-t * decay) * (2 * random.next() - 1))
  const note = (degree: number): number => {
    const scale = scales[mode]
    return tonic + 12 * Math.floor(degree / 7) + (scale[((degree % 7) + 7) % 7] ?? 0)
  }
  for (let bar = 0; bar < bars; bar++) {
    const root = progression[bar % progression.length] ?? 0
    const start = bar * beatsPerBar * beat
    for (const third of [0, 2, 4])
      add(start, beatsPerBar * beat, 0.35 + third * 0.08, pluck(hertzOf(note(root + third)), 1.2, 0.07))
    for (let i = 0; i < beatsPerBar; i++) {
      const time = start + i * beat
      add(time, beat * 0.9, 0.5, pluck(hertzOf(note(i === 2 ? root + 4 : root) - 24), 2.5, 0.2))
      if (random.next() < 0.7) {
        const degree = root + ([0, 2, 4, 7][Math.floor(random.next() * 4)] ?? 0) + 7
        add(time + (random.next() < 0.3 ? beat / 2 : 0), beat * 0.8, 0.65, pluck(hertzOf(note(degree)), 3, 0.06))
      }
      if (!drums) continue
      if (i === 0 || (i === 2 && beatsPerBar === 4)) add(time, 0.25, 0.5, kick)
      if (beatsPerBar === 4 ? i % 2 === 1 : i > 0) add(time, 0.2, 0.55, noise(22, 0.18))
      add(time, 0.06, 0.4, noise(90, 0.06))
      add(time + beat / 2, 0.05, 0.4, noise(110, 0.05))
    }
  }
  return {
    sampleRate,
    block,
    beats: Array.from({ length: total }, (_, i) => lead + i * beat),
    beatsPerBar,
    bpm,
    key: `${tonics[mode][tonic % 12]} ${mode}`,
  }
}
