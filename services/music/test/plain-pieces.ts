import { createRandom, type Random } from '../src/dsp/random.ts'
import { beatsPerBarOf, type Metre } from './synthetic-pieces.ts'

/**
 * A third generator of pieces with known beats: strict time, one rhythm throughout, and the sounds of a metronome and of a toy keyboard. What
 * tells beats from their parts, and the first beat from the others, is often loudness alone.
 */
export type PlainScore = {
  readonly metre: Metre
  /** Beats per minute; in 6/8 of dotted crotchets, two to a bar. */
  readonly bpm: number
  readonly style: string
  readonly seconds: number
  readonly seed: number
}

/** A piece in mono at 22,050 Hz. Times in seconds. */
export type PlainPiece = {
  readonly score: PlainScore
  readonly samples: Float32Array
  readonly beats: readonly number[]
  readonly downbeats: readonly number[]
}

const rate = 22_050
const scale = [0, 2, 4, 5, 7, 9, 11]
/** Roots above the key, and thirds, of the chords of four bars. */
const chords = [
  [0, 4],
  [9, 3],
  [5, 4],
  [7, 4],
] as const

/** What sounds in a beat: times within it as shares of the beat, lengths in beats. */
type Desk = {
  readonly position: number
  readonly beatsPerBar: number
  /** Equal parts of a beat: three in 6/8, otherwise two. */
  readonly parts: readonly number[]
  readonly random: Random
  /** Notes of the chord of the bar (MIDI). */
  readonly chord: readonly [root: number, third: number, fifth: number]
  /** The next note of a tune that moves by small steps (MIDI). */
  readonly tune: () => number
  readonly click: (at: number, hertz: number, gain: number) => void
  readonly kick: (at: number, gain: number) => void
  readonly snare: (at: number, gain: number) => void
  readonly hat: (at: number, gain: number) => void
  readonly tone: (at: number, note: number, gain: number, beats: number, decay: number) => void
  readonly pad: (at: number, note: number, gain: number, beats: number) => void
}

const isFirst = ({ position }: Desk) => position === 0
/** Whether bass and kick play: at every other beat of four, otherwise at the first. */
const isHeavy = ({ position, beatsPerBar }: Desk) => (beatsPerBar === 4 ? position % 2 === 0 : position === 0)
const accentedClick = (desk: Desk) => desk.click(0, isFirst(desk) ? 1500 : 1000, isFirst(desk) ? 0.9 : 0.6)

const drums = (desk: Desk): void => {
  if (isHeavy(desk)) desk.kick(0, 1)
  else desk.snare(0, desk.beatsPerBar === 3 ? 0.6 : 1)
  for (const at of desk.parts) desk.hat(at, at > 0 ? 0.6 : 1)
}

const drumsAndBass = (desk: Desk): void => {
  drums(desk)
  const [root] = desk.chord
  if (desk.beatsPerBar === 4) desk.tone(0, root - 12, 0.25, 0.9, 2)
  else if (isFirst(desk) || desk.beatsPerBar === 2) desk.tone(0, root - (isFirst(desk) ? 12 : 5), 0.3, 0.9, 2)
}

const styles: Record<string, (desk: Desk) => void> = {
  'accented clicks': accentedClick,
  'clicks and soft parts': (desk) => {
    accentedClick(desk)
    for (const at of desk.parts.slice(1)) desk.click(at, 800, 0.25)
  },
  drums,
  'drums and bass': drumsAndBass,
  band: (desk) => {
    drumsAndBass(desk)
    if (isFirst(desk)) for (const note of desk.chord) desk.tone(0, note + 12, 0.12, 0.95 * desk.beatsPerBar, 0.6)
    for (const at of desk.parts)
      if (desk.random.next() < 0.6) desk.tone(at, desk.tune() + 12, 0.12, 0.9 / desk.parts.length, 3)
  },
  'broken chords': (desk) => {
    const [root, third, fifth] = desk.chord
    const order = desk.beatsPerBar === 4 ? [root, third, fifth, root + 12] : [root, third, fifth]
    for (const [part, at] of desk.parts.entries()) {
      const note = order[(desk.position * desk.parts.length + part) % order.length] ?? root
      desk.tone(at, note + 12, isFirst(desk) && part === 0 ? 0.3 : 0.2, 1.5 / desk.parts.length, 4)
    }
    if (isFirst(desk)) desk.tone(0, root - 12, 0.3, 0.9 * desk.beatsPerBar, 1.5)
  },
  'repeated chords': (desk) => {
    for (const note of desk.chord) desk.tone(0, note + 12, isFirst(desk) ? 0.22 : 0.15, 0.5, 5)
  },
  'pads and kick': (desk) => {
    if (isFirst(desk)) for (const note of desk.chord) desk.pad(0, note + 12, 0.1, desk.beatsPerBar)
    desk.kick(0, isFirst(desk) ? 1 : 0.7)
  },
  'a tune alone': (desk) => {
    const draw = desk.random.next()
    const played = draw < 0.5 ? [0] : draw < 0.85 ? desk.parts : []
    for (const at of played)
      desk.tone(at, desk.tune(), isFirst(desk) && at === 0 ? 0.4 : 0.28, 0.95 / played.length, 1.5)
  },
  'tune and accompaniment': (desk) => {
    const [root] = desk.chord
    if (isFirst(desk)) desk.tone(0, root - 12, 0.35, 1.5, 2)
    else for (const note of desk.chord) desk.tone(0, note + 12, 0.12, 0.6, 4)
    if (desk.random.next() < 0.75) desk.tone(0, desk.tune() + 12, 0.25, 0.9, 2)
    if (desk.random.next() < 0.4) desk.tone(desk.parts[1] ?? 0.5, desk.tune() + 12, 0.2, 0.5, 3)
  },
  march: (desk) => {
    const [root] = desk.chord
    if (isHeavy(desk)) desk.tone(0, root - (isFirst(desk) ? 12 : 5), 0.35, 0.6, 3)
    else for (const note of desk.chord) desk.tone(0, note + 12, 0.15, 0.3, 6)
    desk.snare(0, isFirst(desk) ? 0.5 : 0.3)
  },
}

export const plainStyles = Object.keys(styles)

const hertzOf = (note: number): number => 440 * 2 ** ((note - 69) / 12)

/** Renders a piece; the same score yields the same samples. */
export const playPlain = (score: PlainScore): PlainPiece => {
  const { metre, bpm, style, seconds, seed } = score
  const random = createRandom(seed * 7919 + Math.round(bpm) * 31 + plainStyles.indexOf(style))
  const samples = new Float32Array(Math.round(seconds * rate))
  const beat = 60 / bpm
  const add = (time: number, length: number, sound: (t: number) => number) => {
    const start = Math.round(time * rate)
    for (let i = 0; i < length * rate && start + i < samples.length; i++)
      samples[start + i] = (samples[start + i] ?? 0) + sound(i / rate)
  }
  const noise = () => 2 * random.next() - 1
  const sine = (hertz: number, t: number) => Math.sin(2 * Math.PI * hertz * t)
  const beatsPerBar = beatsPerBarOf[metre]
  const lead = 0.1 + 0.3 * random.next()
  const key = 48 + Math.floor(12 * random.next())
  let degree = 7
  const tune = () => {
    degree = Math.max(0, Math.min(14, degree + Math.floor(5 * random.next()) - 2))
    return key + 12 + 12 * Math.floor(degree / 7) + (scale[degree % 7] ?? 0)
  }
  const beats: number[] = []
  for (let index = 0; lead + index * beat < seconds - 0.05; index++) {
    const start = lead + index * beat
    beats.push(start)
    const [root, third] = chords[Math.floor(index / beatsPerBar) % 4] ?? chords[0]
    styles[style]?.({
      position: index % beatsPerBar,
      beatsPerBar,
      parts: metre === '6/8' ? [0, 1 / 3, 2 / 3] : [0, 0.5],
      random,
      chord: [key + root, key + root + third, key + root + 7],
      tune,
      click: (at, hertz, gain) => add(start + at * beat, 0.08, (t) => gain * sine(hertz, t) * Math.exp(-60 * t)),
      kick: (at, gain) =>
        add(
          start + at * beat,
          0.3,
          (t) => gain * 0.9 * sine(1, 50 * t + 3 * (1 - Math.exp(-30 * t))) * Math.exp(-14 * t),
        ),
      snare: (at, gain) =>
        add(
          start + at * beat,
          0.2,
          (t) => gain * (0.5 * noise() * Math.exp(-22 * t) + 0.25 * sine(190, t) * Math.exp(-30 * t)),
        ),
      hat: (at, gain) => {
        let before = 0
        add(start + at * beat, 0.08, (t) => {
          const now = noise()
          const difference = now - before
          before = now
          return gain * 0.18 * difference * Math.exp(-70 * t)
        })
      },
      tone: (at, note, gain, length, decay) =>
        add(start + at * beat, length * beat, (t) => {
          const envelope = Math.min(1, t / 0.008, (length * beat - t) / 0.03) * Math.exp(-decay * t)
          return gain * envelope * [1, 2, 3, 4, 5].reduce((sum, k) => sum + sine(k * hertzOf(note), t) / k ** 1.4, 0)
        }),
      pad: (at, note, gain, length) =>
        add(
          start + at * beat,
          length * beat,
          (t) => gain * sine(hertzOf(note), t) * Math.min(1, t / 0.15, (length * beat - t) / 0.1),
        ),
    })
  }
  return { score, samples, beats, downbeats: beats.filter((_, index) => index % beatsPerBar === 0) }
}
