import { createRandom, type Random } from '../src/dsp/random.ts'
import { between, oneOf, playEnsemble } from '../test/ensemble-pieces.ts'
import { ensembleStyles } from '../test/ensemble-styles.ts'
import { plainStyles, playPlain } from '../test/plain-pieces.ts'
import { type Metre, type Pace, playPiece, stylesOf } from '../test/synthetic-pieces.ts'
import { playTune, tuneStyles } from '../test/tempo-tunes.ts'

/** What is known of a piece to learn from. Times in seconds. */
export type Truth = {
  /** The kind of piece, of which each has its share in training. */
  readonly kind: string
  readonly style: string
  readonly metre: string
  readonly bpm: number
  readonly beats: readonly number[]
  readonly downbeats: readonly number[]
}

/** A piece in mono at ANALYSIS_RATE. */
export type TrainingPiece = { readonly truth: Truth; readonly samples: Float32Array }

const rate = 22_050
/** Seeds from here on are none of the tests or the benchmark. */
const firstSeed = 100_000

/** A tempo, equally likely in each octave. */
const tempoBetween = (random: Random, slowest: number, fastest: number) =>
  slowest * (fastest / slowest) ** random.next()
const seedFrom = (random: Random) => firstSeed + Math.floor(random.next() * 1e6)
const metreFrom = (random: Random): Metre => oneOf(random, ['4/4', '4/4', '3/4', '6/8'] as const)
const tempoOf = (random: Random, metre: Metre) =>
  metre === '6/8' ? tempoBetween(random, 52, 150) : tempoBetween(random, 55, 210)
const paceFrom = (random: Random): Pace => oneOf(random, ['steady', 'steady', 'drift', 'rubato'] as const)

type Played = {
  readonly score: { readonly style: string; readonly metre: Metre; readonly bpm: number }
  readonly samples: Float32Array
  readonly beats: readonly number[]
  readonly downbeats: readonly number[]
}

const pieceOf = (kind: string, { score, samples, beats, downbeats }: Played): TrainingPiece => ({
  truth: { kind, style: score.style, metre: score.metre, bpm: score.bpm, beats, downbeats },
  samples,
})

const firstGenerator = (random: Random): TrainingPiece => {
  const metre = metreFrom(random)
  const style = oneOf(random, stylesOf[metre])
  const bpm = tempoOf(random, metre)
  const [pace, seconds, seed] = [paceFrom(random), between(random, 20, 40), seedFrom(random)]
  return pieceOf('first', playPiece({ metre, style, bpm, pace, seconds, seed }))
}

const secondGenerator = (random: Random): TrainingPiece => {
  const { name: style, metre } = oneOf(random, ensembleStyles)
  const bpm = tempoOf(random, metre)
  const [pace, seconds, seed] = [paceFrom(random), between(random, 20, 40), seedFrom(random)]
  return pieceOf('second', playEnsemble({ metre, style, bpm, pace, seconds, seed }))
}

const thirdGenerator = (random: Random): TrainingPiece => {
  const metre = metreFrom(random)
  const style = oneOf(random, plainStyles)
  const bpm = tempoOf(random, metre)
  return pieceOf('third', playPlain({ metre, style, bpm, seconds: between(random, 20, 40), seed: seedFrom(random) }))
}

/** A click that fades: `decay` per second; of noise, or a tone. */
type Click = { readonly hertz: number; readonly gain: number; readonly decay: number; readonly isNoise: boolean }

const addClick = (samples: Float32Array, at: number, { hertz, gain, decay, isNoise }: Click, random: Random) => {
  const start = Math.round(at * rate)
  const length = Math.min(samples.length - start, Math.round((7 / decay) * rate))
  for (let i = 0; i < length; i++) {
    const wave = isNoise ? 2 * random.next() - 1 : Math.sin((2 * Math.PI * hertz * i) / rate)
    samples[start + i] = (samples[start + i] ?? 0) + gain * Math.exp((-decay * i) / rate) * wave
  }
}

/** A metronome of any sound and tempo, with or without accents and divided beats. */
const metronome = (random: Random): TrainingPiece => {
  const seconds = between(random, 12, 24)
  const bpm = tempoBetween(random, 58, 206)
  const metre = oneOf(random, ['4/4', '4/4', '4/4', '3/4', '6/8'] as const)
  const accentEvery = oneOf(random, { '4/4': [0, 0, 4, 4, 2], '3/4': [3], '6/8': [2, 0] }[metre])
  const parts = metre === '6/8' ? 3 : oneOf(random, [1, 1, 1, 1, 2, 2, 4])
  const size = { '4/4': 4, '3/4': 3, '6/8': 2 }[metre]
  const [hertz, gain] = [tempoBetween(random, 300, 3_600), between(random, 0.2, 0.6)]
  const click: Click = { hertz, gain, decay: between(random, 40, 240), isNoise: random.next() < 0.3 }
  const accent = {
    ...click,
    hertz: hertz * oneOf(random, [1, 1.5, 2, 0.7, 1.26]),
    gain: gain * oneOf(random, [1, 1.5, 1.8, 0.8]),
  }
  const part = { ...click, hertz: hertz * 0.8, gain: gain * between(random, 0.2, 0.7) }
  const samples = new Float32Array(Math.round(seconds * rate))
  const first = 1.2 * random.next() ** 2
  const beats: number[] = []
  for (let time = first; time < seconds; time = first + (beats.length * 60) / bpm) {
    const isAccent = accentEvery > 0 && beats.length % accentEvery === 0
    addClick(samples, time, isAccent ? accent : click, random)
    for (let i = 1; i < parts; i++) addClick(samples, time + (i * 60) / bpm / parts, part, random)
    beats.push(time)
  }
  const downbeats = beats.filter((_, i) => i % size === 0)
  return { truth: { kind: 'plain', style: 'metronome', metre, bpm, beats, downbeats }, samples }
}

const tune = (random: Random): TrainingPiece => {
  const [bpm, seconds] = [tempoBetween(random, 58, 206), Math.round(between(random, 12, 24))]
  const beatsPerBar = oneOf(random, [3, 4, 4] as const)
  const style = oneOf(random, tuneStyles)
  const samples = playTune({ bpm, beatsPerBar, style, seconds, seed: seedFrom(random) })
  const beats = Array.from({ length: Math.floor(((seconds - 0.2) * bpm) / 60) }, (_, i) => 0.2 + (i * 60) / bpm)
  const downbeats = beats.filter((_, i) => i % beatsPerBar === 0)
  return { truth: { kind: 'plain', style, metre: `${beatsPerBar}/4`, bpm, beats, downbeats }, samples }
}

/** Noise, a chord that swells, or notes at any time: all without a beat. */
const beatless = (random: Random): TrainingPiece => {
  const seconds = between(random, 12, 24)
  const samples = new Float32Array(Math.round(seconds * rate))
  const style = oneOf(random, ['noise', 'pad', 'notes'] as const)
  if (style === 'noise') {
    const memory = 0.95 * random.next()
    let value = 0
    for (let i = 0; i < samples.length; i++) {
      value = memory * value + (1 - memory) * (2 * random.next() - 1)
      samples[i] = 0.4 * value
    }
  } else if (style === 'pad') {
    for (const note of [220, 277.2, 330]) {
      const hertz = note * 2 ** between(random, -1, 1)
      const [depth, speed] = [between(random, 0, 0.5), between(random, 0.3, 2.3)]
      for (let i = 0; i < samples.length; i++) {
        const time = i / rate
        const swell = 1 + depth * Math.sin(time * speed)
        samples[i] = (samples[i] ?? 0) + 0.1 * swell * Math.sin(2 * Math.PI * hertz * time)
      }
    }
  } else {
    for (let time = random.next(); time < seconds; time += 0.08 - 0.4 * Math.log(1 - random.next())) {
      const note = { hertz: tempoBetween(random, 150, 1_200), gain: 0.2, decay: between(random, 3, 33), isNoise: false }
      addClick(samples, time, note, random)
    }
  }
  return { truth: { kind: 'plain', style, metre: '4/4', bpm: 0, beats: [], downbeats: [] }, samples }
}

/** What is played, each with its share. */
const kinds: readonly (readonly [share: number, play: (random: Random) => TrainingPiece])[] = [
  [0.26, firstGenerator],
  [0.36, secondGenerator],
  [0.2, thirdGenerator],
  [0.08, metronome],
  [0.08, tune],
  [0.02, beatless],
]

/** Plays `count` pieces of all kinds. The same seed yields the same pieces. */
export function* trainingPieces(seed: number, count: number): Generator<TrainingPiece> {
  const random = createRandom(seed)
  for (let i = 0; i < count; i++) {
    let left = random.next()
    const [, play] = kinds.find(([share]) => {
      left -= share
      return left < 0
    }) ?? [1, tune]
    yield play(random)
  }
}
