import { createRandom, type Random } from '../src/dsp/random.ts'
import { type EnsembleStyle, ensembleStyles, type Part, stylesByName } from './ensemble-styles.ts'
import { type Instrument, instruments } from './instruments.ts'
import { beatsPerBarOf, type Metre, type Pace } from './synthetic-pieces.ts'

/**
 * A second generator of pieces with known beats. Its instruments, rhythms, forms and ways of being played are other than those of
 * `synthetic-pieces.ts`, so that what was improved on one can be judged on the other.
 */
export type EnsembleScore = {
  readonly metre: Metre
  /** Beats per minute; in 6/8 of dotted crotchets, two to a bar. */
  readonly bpm: number
  readonly style: string
  readonly seconds: number
  readonly seed: number
  readonly pace?: Pace
}

/** A piece in mono at 22,050 Hz. Times in seconds. */
export type EnsemblePiece = {
  readonly score: EnsembleScore
  readonly samples: Float32Array
  readonly beats: readonly number[]
  readonly downbeats: readonly number[]
}

const rate = 22_050
const barsPerPhrase = 4
const scales = { major: [0, 2, 4, 5, 7, 9, 11], minor: [0, 2, 3, 5, 7, 8, 10] }
/** Degrees of the chords of phrases, one a bar. */
const phrases = [
  [0, 3, 4, 0],
  [0, 5, 1, 4],
  [0, 4, 5, 3],
  [5, 3, 0, 4],
  [0, 0, 3, 4],
  [1, 4, 0, 5],
]
/** Shorter steps than this (s) are not played on every occasion: players simplify what is too fast. */
const comfortable = 0.13
/** The strengths of the characters of a pattern; digits are probabilities in tenths. */
const strengths: Record<string, number> = { X: 1.3, x: 1, o: 0.45 }

export const between = (random: Random, low: number, high: number): number => low + (high - low) * random.next()
export const oneOf = <T>(random: Random, items: readonly [T, ...T[]] | readonly T[]): T =>
  items[Math.floor(random.next() * items.length)] as T

/** Times of the beats. Rubato is a random walk of the tempo within an eighth of its mean, with a ritardando in some phrases. */
const beatTimes = (score: EnsembleScore, lead: number, random: Random): number[] => {
  const { bpm, seconds, pace = 'steady' } = score
  const perPhrase = barsPerPhrase * beatsPerBarOf[score.metre]
  const times: number[] = []
  let [slope, offset] = [between(random, -0.06, 0.06), 0]
  for (let time = lead, index = 0; time < seconds - 0.1; index++) {
    times.push(time)
    if (pace === 'rubato') {
      offset = Math.max(-0.12, Math.min(0.12, offset * 0.97 + between(random, -0.022, 0.022)))
      if (index % perPhrase === 0) slope = random.next() < 0.4 ? 0.1 : 0
    }
    const inPhrase = (index % perPhrase) / perPhrase
    const tempo = {
      steady: 1,
      drift: 1 + slope * (time / seconds),
      rubato: 1 + offset - slope * Math.max(0, 2 * inPhrase - 1),
    }[pace]
    time += 60 / (bpm * tempo)
  }
  return times
}

/** Adds an exponential tail of noise to everything, as a room does. */
export const addRoom = (samples: Float32Array, random: Random): void => {
  const level = between(random, 0, 0.25)
  const delays = Array.from({ length: 8 }, () => Math.round(between(random, 0.011, 0.09) * rate))
  const gains = delays.map(() => between(random, -0.5, 0.5))
  const dry = samples.slice()
  for (const [tap, delay] of delays.entries()) {
    const feedback = 10 ** ((-3 * delay) / rate / 0.5)
    const echo = new Float32Array(samples.length)
    for (let i = delay; i < samples.length; i++) {
      echo[i] = (dry[i - delay] ?? 0) + feedback * (echo[i - delay] ?? 0)
      samples[i] = (samples[i] ?? 0) + level * (gains[tap] ?? 0) * (echo[i] ?? 0)
    }
  }
}

/** What a score is played in, and when. */
type Played = Pick<EnsemblePiece, 'beats' | 'downbeats'> & {
  readonly random: Random
  /** The note of a degree above the tonic (MIDI). */
  readonly noteOf: (degree: number) => number
}

/** Plays the notes of a score, each part into its track. */
export const playNotes = (score: EnsembleScore, trackOf: (part: Part) => Float32Array): Played => {
  const { metre, bpm, seed } = score
  const style: EnsembleStyle | undefined = stylesByName.get(score.style)
  if (!style) throw new Error(`there is no style ${score.style}`)
  const beatsPerBar = beatsPerBarOf[metre]
  const random = createRandom(seed * 104_729 + Math.round(bpm * 31) + 977 * ensembleStyles.indexOf(style))
  const times = beatTimes(score, between(random, 0.05, 1.1), random)
  const tonic = 48 + Math.floor(random.next() * 12)
  const scale = scales[random.next() < 0.6 ? 'major' : 'minor']
  const form = Array.from({ length: 3 }, () => oneOf(random, phrases))
  const jitter = between(random, 0.002, 0.008)
  const levels = style.parts.map(() => 10 ** (between(random, -3, 3) / 20))
  const melody = Array.from({ length: 512 }, () => Math.floor(random.next() * 8))
  const noteOf = (degree: number) => tonic + 12 * Math.floor(degree / 7) + (scale[((degree % 7) + 7) % 7] ?? 0)
  const hertz = (degree: number, octave: number) => 440 * 2 ** ((noteOf(degree) + 12 * octave - 69) / 12)
  const strengthOf = (character: string, step: number, perBeat: number, duration: number): number => {
    const isFine = step % perBeat !== 0 && duration < comfortable
    const likely = (/\d/.test(character) ? Number(character) / 10 : 1) * (isFine ? (duration / comfortable) ** 3 : 1)
    return random.next() < likely ? (strengths[character] ?? 1) : 0
  }
  // Parts enter one after the other, and some pause for a phrase.
  const entries = style.parts.map((_, i) => (i > 0 && random.next() < 0.25 ? 1 : 0))
  for (let bar = 0; bar * beatsPerBar < times.length; bar++) {
    const phrase = Math.floor(bar / barsPerPhrase)
    const chord = form[[0, 0, 1, 0, 2][phrase % 5] ?? 0]?.[bar % barsPerPhrase] ?? 0
    const dynamics = 1 + 0.2 * Math.sin(phrase * 1.7 + seed)
    for (const [index, part] of style.parts.entries()) {
      if (phrase < (entries[index] ?? 0) || (index > 1 && (phrase * 7 + index * 3 + seed) % 9 === 0)) continue
      const pattern = part.bars[bar % part.bars.length] ?? ''
      const perBeat = pattern.length / beatsPerBar
      let hit = 0
      for (const [step, character] of [...pattern].entries()) {
        if (character === '.') continue
        const beat = bar * beatsPerBar + Math.floor(step / perBeat)
        const start = times[beat]
        if (start === undefined) break
        const period = (times[beat + 1] ?? start + 60 / bpm) - start
        const strength = strengthOf(character, step, perBeat, period / perBeat)
        const degree = part.degrees?.[hit++ % part.degrees.length] ?? 0
        if (strength === 0) continue
        const rest = pattern.slice(step + 1).search(/[^.]/)
        const steps = rest < 0 ? pattern.length - step : rest + 1
        const time = start + ((step % perBeat) / perBeat) * period + jitter * (random.next() + random.next() - 1)
        const gain = strength * (levels[index] ?? 1) * dynamics * between(random, 0.85, 1.15)
        const length = Math.min(((part.hold ?? 0.9) * steps * period) / perBeat, part.longest ?? 8)
        const choose = melody[(phrase % 3) * 128 + (bar % barsPerPhrase) * 32 + step] ?? 0
        for (const pitch of pitches(part, chord, degree, choose))
          play(instruments[part.instrument], {
            samples: trackOf(part),
            random,
            start: Math.round(time * rate),
            length: Math.round(length * rate),
            hertz: hertz(pitch, part.octave ?? 0),
            gain,
          })
      }
    }
  }
  return { random, noteOf, beats: times, downbeats: times.filter((_, index) => index % beatsPerBar === 0) }
}

/** Plays a score; the same score yields the same samples. */
export const playEnsemble = (score: EnsembleScore): EnsemblePiece => {
  const samples = new Float32Array(Math.round(score.seconds * rate))
  const { random, beats, downbeats } = playNotes(score, () => samples)
  addRoom(samples, random)
  const floor = 10 ** (between(random, -75, -50) / 20)
  const top = samples.reduce((max, value) => Math.max(max, Math.abs(value)), 1e-6)
  const scaleTo = between(random, 0.3, 0.9) / top
  for (let i = 0; i < samples.length; i++) samples[i] = scaleTo * (samples[i] ?? 0) + floor * (random.next() - 0.5)
  return { score, samples, beats, downbeats }
}

const pitches = (part: Part, chord: number, degree: number, choose: number): number[] => {
  if (part.plays === 'chord') return [0, 2, 4].map((third) => chord + third)
  if (part.plays === 'melody') return [chord + ([0, 2, 4, 1, 7, 4, 2, 5][choose] ?? 0)]
  if (part.plays === 'arpeggio') return [chord + ([0, 2, 4, 7, 4, 2, 4, 2][choose] ?? 0)]
  return [chord + degree]
}

type Note = {
  readonly samples: Float32Array
  readonly random: Random
  readonly start: number
  readonly length: number
  readonly hertz: number
  readonly gain: number
}

const play = (instrument: Instrument, { samples, start, ...note }: Note): void => {
  const sound = instrument({ ...note, length: Math.min(note.length, samples.length - start) })
  for (let i = 0; i < sound.length; i++)
    if (start + i >= 0 && start + i < samples.length) samples[start + i] = (samples[start + i] ?? 0) + (sound[i] ?? 0)
}
