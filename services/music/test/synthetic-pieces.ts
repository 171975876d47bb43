import { createRandom, type Random } from '../src/dsp/random.ts'

export type Metre = '3/4' | '4/4' | '6/8'

/** How the tempo moves: steady, slowly drifting by some 6 %, or rubato, which swings by 12 % in each phrase. */
export type Pace = 'steady' | 'drift' | 'rubato'

export type PieceScore = {
  readonly metre: Metre
  /** Beats per minute; in 6/8 of dotted crotchets, two to a bar. */
  readonly bpm: number
  readonly style: PieceStyle
  readonly seconds: number
  readonly seed: number
  readonly pace?: Pace
}

/** A synthesised piece in mono at 22,050 Hz, with all that an analysis should find. Times in seconds. */
export type SyntheticPiece = {
  readonly score: PieceScore
  readonly samples: Float32Array
  readonly beats: readonly number[]
  readonly downbeats: readonly number[]
  readonly beatsPerBar: number
  readonly key: string
  /** Where sections begin; the form is A A B A C B. */
  readonly sections: readonly number[]
}

const RATE = 22_050
const lead = 0.35
const barsPerSection = 8
const form = [0, 0, 1, 0, 2, 1]
const names = ['C', 'Db', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'Ab', 'A', 'Bb', 'B']
const minorNames = ['C', 'C#', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'G#', 'A', 'Bb', 'B']
const scales = { major: [0, 2, 4, 5, 7, 9, 11], minor: [0, 2, 3, 5, 7, 8, 10] }
/** Degrees of the chords of each section, one a bar. */
const progressions = {
  major: [
    [0, 4, 5, 3, 0, 4, 3, 0],
    [3, 0, 4, 5, 3, 0, 4, 4],
    [5, 3, 0, 4, 5, 3, 1, 4],
  ],
  minor: [
    [0, 3, 4, 0, 0, 5, 4, 0],
    [5, 6, 0, 0, 3, 4, 0, 0],
    [3, 0, 5, 4, 3, 0, 4, 4],
  ],
}

type Voice = 'kick' | 'snare' | 'hat' | 'bass' | 'chord' | 'strings' | 'note'
/** A sound in a beat: its voice, its position in the beat (0..1), its probability and its strength. */
type Hit = readonly [voice: Voice, at: number, likely?: number, gain?: number]
type Setting = { readonly beat: number; readonly beatsPerBar: number; readonly bpm: number }

const backbeat = ({ beat, beatsPerBar }: Setting) => (beatsPerBar === 4 ? beat % 2 === 1 : beat > 0)
/** Players subdivide slow beats and leave fast ones whole. */
const halves = ({ bpm }: Setting) => (bpm < 150 ? 1 : bpm < 175 ? 0.4 : 0.1)
const thirds = [1 / 3, 2 / 3] as const

/** What each style plays in a beat. */
const styles = {
  rock: (s) => [
    ...(s.beat === 0 || (s.beatsPerBar === 4 && s.beat === 2)
      ? ([
          ['kick', 0],
          ['bass', 0],
        ] as Hit[])
      : [['bass', 0, 0.6] as Hit]),
    ...(backbeat(s) ? [['snare', 0] as Hit] : [['kick', 0.5, 0.15 * halves(s)] as Hit]),
    ['hat', 0],
    ['hat', 0.5, halves(s)],
    ...(s.beat === 0 ? [['chord', 0] as Hit] : []),
    ['note', 0, 0.5],
    ['note', 0.5, 0.3 * halves(s)],
  ],
  'four-floor': (s) => [
    ['kick', 0],
    ['hat', 0.5, 1, 1.3],
    ['bass', 0.5, 0.8],
    ...(backbeat(s) ? [['snare', 0] as Hit] : []),
    ...(s.beat === 0 ? [['chord', 0] as Hit] : [['chord', 0.5, 0.2] as Hit]),
  ],
  funk: (s) => [
    ...(s.beat === 0
      ? [['kick', 0] as Hit, ['bass', 0] as Hit]
      : [['kick', 0.5, 0.5] as Hit, ['bass', 0.75, 0.4] as Hit]),
    ...(backbeat(s) ? [['snare', 0] as Hit] : [['snare', 0.75, 0.15, 0.3] as Hit]),
    ['hat', 0],
    ['hat', 0.5],
    ...(s.bpm < 115
      ? ([
          ['hat', 0.25, 0.6, 0.6],
          ['hat', 0.75, 0.6, 0.6],
        ] as Hit[])
      : []),
    ...(s.beat === 0 ? [['chord', 0] as Hit] : [['chord', 0.5, 0.3, 0.7] as Hit]),
  ],
  swing: (s) => [
    ['bass', 0],
    ['hat', 0],
    ...(backbeat(s) ? [['hat', 2 / 3, 1, 0.7] as Hit, ['hat', 0, 1, 0.7] as Hit] : []),
    ['note', 0, 0.5],
    ['note', 2 / 3, 0.5],
    ['snare', 2 / 3, 0.12, 0.4],
    ...(s.beat === 0 ? [['chord', 0] as Hit] : [['chord', 2 / 3, 0.15] as Hit]),
  ],
  folk: (s) => [
    ...(s.beat === 0
      ? [['bass', 0] as Hit, ['chord', 0, 1, 0.8] as Hit]
      : [['bass', 0, 0.3] as Hit, ['chord', 0, 1, 0.7] as Hit]),
    ['chord', 0.5, 0.5 * halves(s), 0.45],
    ['note', 0, 0.7],
    ['note', 0.5, 0.4 * halves(s)],
  ],
  piano: (s) => [
    ['bass', 0, s.beat === 0 ? 1 : 0.5],
    ['note', 0, 0.9],
    ['note', 0.5, 0.6 * halves(s), 0.7],
    ...(s.beat === 0 ? [['chord', 0] as Hit] : [['chord', 0, 0.25, 0.7] as Hit]),
  ],
  strings: (s) => [
    ...(s.beat === 0 ? [['strings', 0] as Hit] : []),
    ['bass', 0, s.beat === 0 ? 1 : 0.85],
    ['note', 0, 0.8],
    ['note', 0.5, 0.25 * halves(s)],
  ],
  waltz: (s) => [
    ...(s.beat === 0
      ? ([
          ['bass', 0, 1, 1.2],
          ['kick', 0, 0.8],
        ] as Hit[])
      : ([
          ['chord', 0, 1, 0.8],
          ['hat', 0, 0.8],
        ] as Hit[])),
    ['note', 0, 0.6],
    ['note', 0.5, 0.3 * halves(s)],
  ],
  ballad: (s) => [
    ...(s.beat === 0
      ? ([
          ['kick', 0],
          ['bass', 0],
          ['chord', 0],
        ] as Hit[])
      : ([
          ['snare', 0],
          ['bass', 0, 0.5],
        ] as Hit[])),
    ['hat', 0],
    ...thirds.map((at): Hit => ['hat', at, 1, 0.8]),
    ['kick', 2 / 3, s.beat === 1 ? 0.4 : 0.1],
    ['note', 0, 0.5],
    ...thirds.map((at): Hit => ['note', at, 0.3]),
  ],
  jig: (s) => [
    ['bass', 0, s.beat === 0 ? 1 : 0.7],
    ['chord', 0, 1, s.beat === 0 ? 1 : 0.6],
    ['note', 0, 1],
    ['note', 1 / 3, 0.7, 0.7],
    ['note', 2 / 3, 0.85, 0.7],
  ],
  arpeggio: (s) => [
    ['bass', 0, s.beat === 0 ? 1 : 0.6],
    ...(s.beat === 0 ? [['strings', 0, 1, 0.7] as Hit] : []),
    ['note', 0, 1, 1.2],
    ...thirds.map((at): Hit => ['note', at, 0.9, 0.7]),
  ],
} satisfies Record<string, (setting: Setting) => readonly Hit[]>

export type PieceStyle = keyof typeof styles

/** The styles of each metre. */
export const stylesOf: Record<Metre, readonly PieceStyle[]> = {
  '4/4': ['rock', 'four-floor', 'funk', 'swing', 'folk', 'piano', 'strings'],
  '3/4': ['waltz', 'rock', 'swing', 'folk', 'piano', 'strings'],
  '6/8': ['ballad', 'jig', 'arpeggio'],
}

export const beatsPerBarOf: Record<Metre, 2 | 3 | 4> = { '3/4': 3, '4/4': 4, '6/8': 2 }

const hertzOf = (note: number): number => 440 * 2 ** ((note - 69) / 12)

/** A decaying tone of some harmonics, as rotations: a sine and an exponential per sample would take most of the time. */
const addTone = (out: Float32Array, start: number, length: number, tone: ToneShape): void => {
  const { hertz, gain, decay, attack, harmonics, vibrato = 0 } = tone
  const count = Math.min(length, out.length - start)
  const release = Math.min(length, Math.round(0.02 * RATE))
  for (let harmonic = 1; harmonic <= harmonics && hertz * harmonic < RATE * 0.45; harmonic++) {
    let [re, im] = [1, 0]
    const shrink = Math.exp((-decay * (0.7 + 0.3 * harmonic)) / RATE)
    let level = gain / harmonic
    const base = (2 * Math.PI * hertz * harmonic) / RATE
    let [cos, sin] = [Math.cos(base), Math.sin(base)]
    for (let i = 0; i < count; i++) {
      if (vibrato > 0 && i % 64 === 0) {
        const angle = base * (1 + vibrato * Math.sin((2 * Math.PI * 5.5 * i) / RATE))
        cos = Math.cos(angle)
        sin = Math.sin(angle)
      }
      const next = re * cos - im * sin
      im = re * sin + im * cos
      re = next
      level *= shrink
      const shape = Math.min(1, i / (attack * RATE), (length - i) / release)
      if (start + i >= 0) out[start + i] = (out[start + i] ?? 0) + im * level * shape
    }
  }
}

type ToneShape = {
  readonly hertz: number
  readonly gain: number
  readonly decay: number
  readonly attack: number
  readonly harmonics: number
  readonly vibrato?: number
}

const addNoise = (
  out: Float32Array,
  start: number,
  random: Random,
  decay: number,
  gain: number,
  bright: number,
): void => {
  const length = Math.round((RATE * 5) / decay)
  let [level, low] = [gain, 0]
  const shrink = Math.exp(-decay / RATE)
  for (let i = 0; i < length && start + i < out.length; i++) {
    const white = 2 * random.next() - 1
    low += 0.35 * (white - low)
    level *= shrink
    out[start + i] = (out[start + i] ?? 0) + level * (bright * (white - low) + (1 - bright) * white)
  }
}

const addKick = (out: Float32Array, start: number, gain: number): void => {
  for (let i = 0; i < 0.22 * RATE && start + i < out.length; i++) {
    const t = i / RATE
    out[start + i] =
      (out[start + i] ?? 0) + gain * Math.exp(-t * 18) * Math.sin(2 * Math.PI * (50 * t + 6 * (1 - Math.exp(-t * 40))))
  }
}

/** Times of all beats: the tempo of each beat by the pace. */
const beatTimes = ({ bpm, pace = 'steady', seconds }: PieceScore, perPhrase: number): number[] => {
  const times: number[] = []
  for (let time = lead, index = 0; time < seconds - 0.1; index++) {
    times.push(time)
    const swing =
      pace === 'steady'
        ? 1
        : pace === 'drift'
          ? 1 + 0.06 * Math.sin((2 * Math.PI * time) / 40)
          : 1 + 0.12 * Math.sin((2 * Math.PI * index) / perPhrase)
    time += 60 / (bpm * swing)
  }
  return times
}

/** Length (s) of the whole form. Its second half begins with a section that the first half has had, twice. */
export const formSeconds = ({ metre, bpm }: Pick<PieceScore, 'metre' | 'bpm'>): number =>
  lead + (form.length * barsPerSection * beatsPerBarOf[metre] * 60) / bpm

/** Plays a score; the same score yields the same samples. */
export const playPiece = (score: PieceScore): SyntheticPiece => {
  const { metre, bpm, style, seconds, seed } = score
  const beatsPerBar = beatsPerBarOf[metre]
  const random = createRandom(seed * 7919 + Math.round(bpm * 13) + metre.charCodeAt(0))
  const samples = new Float32Array(Math.round(seconds * RATE))
  const tonic = 55 + Math.floor(random.next() * 12)
  const mode = random.next() < 0.6 ? 'major' : 'minor'
  const note = (degree: number): number =>
    tonic + 12 * Math.floor(degree / 7) + (scales[mode][((degree % 7) + 7) % 7] ?? 0)
  const times = beatTimes(score, 4 * beatsPerBar)
  const pattern: (setting: Setting) => readonly Hit[] = styles[style]
  const sections: number[] = []
  const isSoft = style === 'strings'
  // A melody repeats with its section: drawn once per section and bar.
  const melodies = progressions[mode].map(() => Array.from({ length: 256 }, () => Math.floor(random.next() * 8)))
  for (const [index, time] of times.entries()) {
    const beat = index % beatsPerBar
    const bar = Math.floor(index / beatsPerBar)
    const section = form[Math.floor(bar / barsPerSection) % form.length] ?? 0
    if (beat === 0 && bar % barsPerSection === 0) sections.push(time)
    const period = (times[index + 1] ?? time + 60 / bpm) - time
    const root = progressions[mode][section]?.[bar % barsPerSection] ?? 0
    const octave = section === 1 ? 7 : 0
    for (const [voice, at, likely = 1, gain = 1] of pattern({ beat, beatsPerBar, bpm })) {
      if (random.next() >= likely) continue
      // Players are a few milliseconds off.
      const start = Math.round((time + at * period + 0.006 * (random.next() - 0.5)) * RATE)
      const frames = (beats: number) => Math.round(beats * period * RATE)
      const play: Record<Voice, () => void> = {
        kick: () => addKick(samples, start, 0.45 * gain),
        snare: () => addNoise(samples, start, random, 22, 0.22 * gain, 0.3),
        hat: () => addNoise(samples, start, random, 90, 0.07 * gain * (0.7 + 0.6 * random.next()), 1),
        bass: () =>
          addTone(samples, start, frames(0.9), {
            hertz: hertzOf(note(beat === 0 ? root : root + (beat % 2 === 0 ? 4 : 0)) - 24),
            gain: 0.16 * gain,
            decay: 2.5,
            attack: 0.004,
            harmonics: 5,
          }),
        chord: () => {
          for (const third of [0, 2, 4])
            addTone(samples, start, frames(beatsPerBar - beat - at), {
              hertz: hertzOf(note(root + third)),
              gain: 0.05 * gain,
              decay: section === 2 ? 3 : 1.3,
              attack: 0.006,
              harmonics: 5,
            })
        },
        strings: () => {
          for (const third of [0, 2, 4])
            addTone(samples, start, frames(beatsPerBar), {
              hertz: hertzOf(note(root + third)),
              gain: 0.045 * gain,
              decay: 0.1,
              attack: 0.09,
              harmonics: 6,
              vibrato: 0.006,
            })
        },
        note: () => {
          const degree =
            root + octave + (melodies[section]?.[(bar % barsPerSection) * 16 + beat * 4 + Math.round(at * 3)] ?? 0)
          addTone(samples, start, frames(0.5 + random.next()), {
            hertz: hertzOf(note(degree) + 12),
            gain: 0.07 * gain,
            decay: 2.5,
            attack: isSoft ? 0.03 : 0.008,
            harmonics: 4,
            vibrato: isSoft ? 0.005 : 0,
          })
        },
      }
      play[voice]()
    }
  }
  return {
    score,
    samples,
    beats: times,
    downbeats: times.filter((_, index) => index % beatsPerBar === 0),
    beatsPerBar,
    key: `${(mode === 'major' ? names : minorNames)[tonic % 12]} ${mode}`,
    sections,
  }
}
