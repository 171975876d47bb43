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

/** What plays a beat, and which beat it is: times within it as shares of the beat, lengths in beats. */
type Player = {
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

const isFirst = ({ position }: Player) => position === 0
/** Whether bass and kick play: at every other beat of four, otherwise at the first. */
const isHeavy = ({ position, beatsPerBar }: Player) => (beatsPerBar === 4 ? position % 2 === 0 : position === 0)
const accentedClick = (player: Player) => player.click(0, isFirst(player) ? 1500 : 1000, isFirst(player) ? 0.9 : 0.6)

const drums = (player: Player): void => {
  if (isHeavy(player)) player.kick(0, 1)
  else player.snare(0, player.beatsPerBar === 3 ? 0.6 : 1)
  for (const at of player.parts) player.hat(at, at > 0 ? 0.6 : 1)
}

const drumsAndBass = (player: Player): void => {
  drums(player)
  const [root] = player.chord
  if (player.beatsPerBar === 4) player.tone(0, root - 12, 0.25, 0.9, 2)
  else if (isFirst(player) || player.beatsPerBar === 2) player.tone(0, root - (isFirst(player) ? 12 : 5), 0.3, 0.9, 2)
}

const styles: Record<string, (player: Player) => void> = {
  'accented clicks': accentedClick,
  'clicks and soft parts': (player) => {
    accentedClick(player)
    for (const at of player.parts.slice(1)) player.click(at, 800, 0.25)
  },
  drums,
  'drums and bass': drumsAndBass,
  band: (player) => {
    drumsAndBass(player)
    if (isFirst(player))
      for (const note of player.chord) player.tone(0, note + 12, 0.12, 0.95 * player.beatsPerBar, 0.6)
    for (const at of player.parts)
      if (player.random.next() < 0.6) player.tone(at, player.tune() + 12, 0.12, 0.9 / player.parts.length, 3)
  },
  'broken chords': (player) => {
    const [root, third, fifth] = player.chord
    const order = player.beatsPerBar === 4 ? [root, third, fifth, root + 12] : [root, third, fifth]
    for (const [part, at] of player.parts.entries()) {
      const note = order[(player.position * player.parts.length + part) % order.length] ?? root
      player.tone(at, note + 12, isFirst(player) && part === 0 ? 0.3 : 0.2, 1.5 / player.parts.length, 4)
    }
    if (isFirst(player)) player.tone(0, root - 12, 0.3, 0.9 * player.beatsPerBar, 1.5)
  },
  'repeated chords': (player) => {
    for (const note of player.chord) player.tone(0, note + 12, isFirst(player) ? 0.22 : 0.15, 0.5, 5)
  },
  'pads and kick': (player) => {
    if (isFirst(player)) for (const note of player.chord) player.pad(0, note + 12, 0.1, player.beatsPerBar)
    player.kick(0, isFirst(player) ? 1 : 0.7)
  },
  'a tune alone': (player) => {
    const draw = player.random.next()
    const played = draw < 0.5 ? [0] : draw < 0.85 ? player.parts : []
    for (const at of played)
      player.tone(at, player.tune(), isFirst(player) && at === 0 ? 0.4 : 0.28, 0.95 / played.length, 1.5)
  },
  'tune and accompaniment': (player) => {
    const [root] = player.chord
    if (isFirst(player)) player.tone(0, root - 12, 0.35, 1.5, 2)
    else for (const note of player.chord) player.tone(0, note + 12, 0.12, 0.6, 4)
    if (player.random.next() < 0.75) player.tone(0, player.tune() + 12, 0.25, 0.9, 2)
    if (player.random.next() < 0.4) player.tone(player.parts[1] ?? 0.5, player.tune() + 12, 0.2, 0.5, 3)
  },
  /** A kick on every beat; bass and an open hat between them. */
  house: (player) => {
    const [root] = player.chord
    const between = player.parts.at(-1) ?? 0.5
    player.kick(0, 1)
    player.hat(between, 2.4)
    player.tone(between, root - 12, 0.35, 0.9 * (1 - between), 3)
    if (isFirst(player)) for (const note of player.chord) player.pad(0, note + 12, 0.08, player.beatsPerBar)
  },
  /** Bass on the beats, short chords between them. */
  skank: (player) => {
    const [root] = player.chord
    const between = player.parts.at(-1) ?? 0.5
    for (const note of player.chord) player.tone(between, note + 12, 0.16, 0.8 * (1 - between), 6)
    if (isHeavy(player)) player.tone(0, root - 12, 0.35, 0.9, 2)
    else player.snare(0, 0.6)
  },
  march: (player) => {
    const [root] = player.chord
    if (isHeavy(player)) player.tone(0, root - (isFirst(player) ? 12 : 5), 0.35, 0.6, 3)
    else for (const note of player.chord) player.tone(0, note + 12, 0.15, 0.3, 6)
    player.snare(0, isFirst(player) ? 0.5 : 0.3)
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
