import { type Block, silentBlock } from '../src/audio/pcm.ts'
import { createRandom, type Random } from '../src/dsp/random.ts'

export const partNames = ['vocals', 'drums', 'bass', 'other'] as const
export type PartName = (typeof partNames)[number]

/** A synthesised piece whose parts are known: their sum is the mixture. */
export type PieceOfParts = {
  readonly sampleRate: number
  readonly parts: Record<PartName, Block>
  readonly mixture: Block
}

export type Arrangement = {
  readonly bpm: number
  readonly seconds: number
  /** Tonic as a MIDI note number. */
  readonly tonic: number
  readonly mode: 'major' | 'minor'
  readonly seed: number
  readonly beat: 'rock' | 'four-floor' | 'half-time'
  readonly harmony: 'pad' | 'plucked' | 'organ'
  readonly bass: 'saw' | 'sine' | 'plucked'
  readonly voice: 'low' | 'high'
  readonly sampleRate?: number
  readonly channels?: 1 | 2
}

const scales = { major: [0, 2, 4, 5, 7, 9, 11], minor: [0, 2, 3, 5, 7, 8, 10] }
const progressions = [
  [0, 4, 5, 3],
  [5, 3, 0, 4],
  [0, 5, 1, 4],
]
const hertzOf = (note: number): number => 440 * 2 ** ((note - 69) / 12)

/** Adds a mono sound at `time` (s), panned from 0 (left) to 1 (right) with constant power. */
const place = (block: Block, rate: number, time: number, pan: number, sound: Float64Array) => {
  const start = Math.round(time * rate)
  for (const [index, channel] of block.entries()) {
    const angle = (pan * Math.PI) / 2
    const gain = block.length === 1 ? Math.SQRT1_2 : index === 0 ? Math.cos(angle) : Math.sin(angle)
    const count = Math.min(sound.length, channel.length - start)
    for (let i = Math.max(0, -start); i < count; i++)
      channel[start + i] = (channel[start + i] ?? 0) + gain * (sound[i] ?? 0)
  }
}

const soundOf = (seconds: number, rate: number, value: (t: number) => number): Float64Array =>
  Float64Array.from({ length: Math.max(1, Math.round(seconds * rate)) }, (_, i) => value(i / rate))

/** The share of a sound at time t: fades in and out. */
export const envelope = (t: number, seconds: number, attack: number, release: number): number =>
  Math.max(0, Math.min(1, t / attack, (seconds - t) / release))

/** Harmonics of a gliding pitch: one sine and one cosine a sample, the multiples by Chebyshev's recurrence. */
export const harmonics = (
  seconds: number,
  rate: number,
  pitch: (t: number) => number,
  amplitudes: (t: number, hertz: number) => Float64Array,
): Float64Array => {
  const out = new Float64Array(Math.round(seconds * rate))
  let phase = 0
  let current = new Float64Array()
  for (let i = 0; i < out.length; i++) {
    const t = i / rate
    const hertz = pitch(t)
    // Amplitudes change slowly: every millisecond or so.
    if (i % 64 === 0) current = new Float64Array(amplitudes(t, hertz))
    phase = (phase + (2 * Math.PI * hertz) / rate) % (2 * Math.PI)
    const twice = 2 * Math.cos(phase)
    let [before, sine, sum] = [0, Math.sin(phase), 0]
    for (let h = 0; h < current.length; h++) {
      sum += (current[h] ?? 0) * sine
      const next = twice * sine - before
      before = sine
      sine = next
    }
    out[i] = sum
  }
  return out
}

/** Formants of vowels: centre (Hz), bandwidth (Hz) and level. */
const vowels: readonly (readonly (readonly [hertz: number, width: number, level: number])[])[] = [
  [
    [730, 90, 1],
    [1090, 110, 0.6],
    [2440, 170, 0.25],
    [3400, 250, 0.12],
  ],
  [
    [530, 80, 1],
    [1840, 120, 0.45],
    [2480, 170, 0.25],
    [3500, 250, 0.1],
  ],
  [
    [400, 70, 1],
    [750, 90, 0.6],
    [2400, 170, 0.12],
    [3300, 250, 0.08],
  ],
  [
    [300, 60, 1],
    [2200, 130, 0.35],
    [2960, 180, 0.25],
    [3600, 250, 0.1],
  ],
]

export const formantLevel = (hertz: number, vowel: number): number => {
  let level = 0.02
  for (const [centre, width, gain] of vowels[vowel % vowels.length] ?? [])
    level += gain / (1 + ((hertz - centre) / width) ** 2)
  return level
}

type SungNote = {
  readonly note: number
  /** The note before, from which it glides. */
  readonly from: number
  readonly seconds: number
  readonly vowel: number
  /** By which power of their number harmonics are weaker. */
  readonly tilt: number
}

/** A sung note: a glide to its pitch, delayed vibrato, formants, breath, and a consonant at its beginning. */
const sing = (random: Random, rate: number, { note, from, seconds, vowel, tilt }: SungNote) => {
  const speed = 5 + random.next()
  const depth = 0.25 + 0.2 * random.next()
  const drift = (random.next() - 0.5) * 0.1
  const pitch = (t: number) => {
    const glide = (from - note) * Math.exp(-t / 0.035)
    const vibrato = depth * Math.min(1, Math.max(0, t - 0.12) / 0.2) * Math.sin(2 * Math.PI * speed * t)
    return hertzOf(note + glide + vibrato + drift)
  }
  const sung = harmonics(seconds, rate, pitch, (t, hertz) => {
    const count = Math.min(60, Math.floor(Math.min(rate * 0.45, 9_000) / hertz))
    const loud = envelope(t, seconds, 0.03, 0.06) * (0.8 + 0.2 * Math.sin(2 * Math.PI * speed * t + 1))
    return Float64Array.from({ length: count }, (_, h) => {
      const at = hertz * (h + 1)
      return (loud * formantLevel(at, vowel)) / (h + 1) ** tilt
    })
  })
  const breath = soundOf(seconds, rate, (t) => 0.006 * envelope(t, seconds, 0.05, 0.08) * (2 * random.next() - 1))
  const consonant = random.next() < 0.5 ? 0.1 : 0.03
  let last = 0
  return sung.map((value, i) => {
    const t = i / rate
    const white = 2 * random.next() - 1
    // The difference of white noise is a hiss.
    const hiss = t < 0.06 ? consonant * (white - last) * envelope(t, 0.06, 0.01, 0.03) : 0
    last = white
    return 0.5 * value + (breath[i] ?? 0) + hiss
  })
}

type Singing = Pick<Arrangement, 'bpm' | 'seconds' | 'seed' | 'voice'> & { readonly tilt?: number }

/** Adds a melody in phrases. `noteOf` is the note of a degree above the tonic (MIDI), which a low voice sings an octave lower. */
export const singMelody = (block: Block, rate: number, arrangement: Singing, noteOf: (degree: number) => number) => {
  const random = createRandom(arrangement.seed * 7 + 1)
  const { tilt = 0.8 } = arrangement
  const beat = 60 / arrangement.bpm
  const octave = arrangement.voice === 'high' ? 0 : -12
  let [degree, before] = [4, 4]
  for (let time = 0; time < arrangement.seconds; ) {
    // Phrases of some beats, then a rest.
    const phrase = (5 + Math.floor(random.next() * 4)) * beat
    for (let t = 0; t < phrase; ) {
      const length = ([0.5, 1, 1, 1.5, 2][Math.floor(random.next() * 5)] ?? 1) * beat
      degree = Math.max(0, Math.min(9, degree + Math.floor(random.next() * 5) - 2))
      const vowel = Math.floor(random.next() * vowels.length)
      const [note, from] = [noteOf(degree) + octave, noteOf(before) + octave]
      place(block, rate, time + t, 0.5, sing(random, rate, { note, from, seconds: length * 0.95, vowel, tilt }))
      before = degree
      t += length
    }
    time += phrase + (1 + Math.floor(random.next() * 3)) * beat
  }
}

const drumSounds = (random: Random, rate: number) => ({
  kick: () =>
    soundOf(
      0.28,
      rate,
      (t) => 0.9 * Math.exp(-t * 14) * Math.sin(2 * Math.PI * (48 * t + 5 * (1 - Math.exp(-t * 35)))),
    ),
  snare: () =>
    soundOf(
      0.22,
      rate,
      (t) =>
        Math.exp(-t * 20) *
        (0.4 * (2 * random.next() - 1) + 0.25 * Math.exp(-t * 12) * Math.sin(2 * Math.PI * 190 * t)),
    ),
  hat: (decay: number) => {
    let last = 0
    return soundOf(4.6 / decay, rate, (t) => {
      const white = 2 * random.next() - 1
      const high = white - last
      last = white
      return 0.12 * Math.exp(-t * decay) * high
    })
  },
})

/** Hits in a bar of eighths by style: kicks, snares, and whether hats play every eighth. */
const beats = {
  rock: { kick: [0, 3, 4], snare: [2, 6], hat: [0, 1, 2, 3, 4, 5, 6, 7] },
  'four-floor': { kick: [0, 2, 4, 6], snare: [2, 6], hat: [1, 3, 5, 7] },
  'half-time': { kick: [0, 5], snare: [4], hat: [0, 2, 3, 4, 6, 7] },
}

const playDrums = (block: Block, rate: number, { bpm, seconds, seed, beat: style }: Arrangement) => {
  const random = createRandom(seed * 7 + 2)
  const sounds = drumSounds(random, rate)
  const eighth = 30 / bpm
  const hits = beats[style]
  for (let index = 0; index * eighth < seconds; index++) {
    const at = index % 8
    const time = index * eighth + 0.004 * random.next()
    const loud = 0.8 + 0.2 * random.next()
    if (hits.kick.includes(at))
      place(
        block,
        rate,
        time,
        0.5,
        sounds.kick().map((value) => value * loud),
      )
    if (hits.snare.includes(at))
      place(
        block,
        rate,
        time,
        0.5,
        sounds.snare().map((value) => value * loud),
      )
    if (hits.hat.includes(at))
      place(
        block,
        rate,
        time,
        0.62,
        sounds.hat(at % 4 === 3 ? 25 : 70).map((v) => v * loud),
      )
  }
}

const bassTimbres: Record<Arrangement['bass'], (h: number, t: number) => number> = {
  saw: (h, t) => (1 / h) * Math.exp(-0.25 * h * Math.min(1, t * 3)),
  sine: (h) => (h === 1 ? 1 : h === 2 ? 0.25 : h === 3 ? 0.08 : 0),
  plucked: (h, t) => (1 / h) * Math.exp(-t * (1.2 + 1.5 * h)),
}

const playBass = (
  block: Block,
  rate: number,
  { bpm, seconds, seed, bass }: Arrangement,
  rootOf: (bar: number) => number,
) => {
  const random = createRandom(seed * 7 + 3)
  const beat = 60 / bpm
  for (let index = 0; index * beat < seconds; ) {
    const length = random.next() < 0.3 ? 2 : 1
    const root = rootOf(Math.floor(index / 4))
    const note = root - 24 + (random.next() < 0.25 ? 7 : random.next() < 0.15 ? 12 : 0)
    const lasting = length * beat * 0.92
    const sound = harmonics(
      lasting,
      rate,
      () => hertzOf(note),
      (t) =>
        Float64Array.from(
          { length: 12 },
          (_, h) => 0.26 * envelope(t, lasting, 0.006, 0.03) * bassTimbres[bass](h + 1, t),
        ),
    )
    place(block, rate, index * beat, 0.5, sound)
    index += length
  }
}

const chordTimbres: Record<Arrangement['harmony'], (h: number, t: number) => number> = {
  pad: (h, t) => (0.11 / h) * Math.min(1, t / 0.25) * (h % 2 === 0 ? 0.6 : 1),
  plucked: (h, t) => (0.2 / h) * Math.exp(-t * (1.5 + h)),
  organ: (h) => [0.08, 0.07, 0.04, 0.06, 0, 0.02, 0, 0.02][h - 1] ?? 0,
}

const playChords = (
  block: Block,
  rate: number,
  { bpm, seconds, seed, harmony }: Arrangement,
  chordOf: (bar: number) => readonly number[],
) => {
  const random = createRandom(seed * 7 + 4)
  const beat = 60 / bpm
  const bar = 4 * beat
  for (let index = 0; index * bar < seconds; index++) {
    const chord = chordOf(index)
    const struck = harmony === 'plucked' ? 8 : 1
    for (let strike = 0; strike < struck; strike++) {
      const notes = harmony === 'plucked' ? [chord[strike % chord.length] ?? 60] : chord
      for (const [voice, note] of notes.entries()) {
        const lasting = harmony === 'plucked' ? beat : bar * 0.98
        const pan = harmony === 'plucked' ? 0.2 + 0.1 * random.next() : ([0.15, 0.8, 0.3, 0.9][voice] ?? 0.5)
        const sound = harmonics(
          lasting,
          rate,
          () => hertzOf(note + (harmony === 'plucked' ? 12 : 0)),
          (t) =>
            Float64Array.from(
              { length: 14 },
              (_, h) => envelope(t, lasting, 0.004, 0.05) * chordTimbres[harmony](h + 1, t),
            ),
        )
        place(block, rate, index * bar + strike * (beat / 2), pan, sound)
      }
    }
  }
}

/** Plays an arrangement part by part; the same arrangement yields the same samples. */
export const playParts = (arrangement: Arrangement): PieceOfParts => {
  const { sampleRate = 44_100, channels = 2, seconds, tonic, mode, seed } = arrangement
  const made = () => silentBlock(channels, Math.round(seconds * sampleRate))
  const parts = { vocals: made(), drums: made(), bass: made(), other: made() }
  const scale = scales[mode]
  const noteOf = (degree: number) => tonic + 12 * Math.floor(degree / 7) + (scale[((degree % 7) + 7) % 7] ?? 0)
  const progression = progressions[seed % progressions.length] ?? []
  const rootDegree = (bar: number) => progression[bar % progression.length] ?? 0
  singMelody(parts.vocals, sampleRate, arrangement, noteOf)
  playDrums(parts.drums, sampleRate, arrangement)
  playBass(parts.bass, sampleRate, arrangement, (bar) => noteOf(rootDegree(bar) - (rootDegree(bar) > 3 ? 7 : 0)))
  playChords(parts.other, sampleRate, arrangement, (bar) =>
    [0, 2, 4].map((third) => noteOf(rootDegree(bar) + third - 7)),
  )
  // Stored audio is clipped at full scale: all parts are scaled alike.
  const mixture = made()
  for (const part of Object.values(parts))
    for (const [index, channel] of part.entries())
      for (let i = 0; i < channel.length; i++) {
        const sums = mixture[index]
        if (sums) sums[i] = (sums[i] ?? 0) + (channel[i] ?? 0)
      }
  const loudest = mixture.reduce((max, channel) => channel.reduce((m, value) => Math.max(m, Math.abs(value)), max), 0)
  const gain = 0.9 / Math.max(loudest, 1e-9)
  for (const block of [...Object.values(parts), mixture])
    for (const channel of block) for (let i = 0; i < channel.length; i++) channel[i] = (channel[i] ?? 0) * gain
  return { sampleRate, parts, mixture }
}

/** Whether a part plays nothing. */
export const isSilent = (block: Block): boolean => block.every((channel) => channel.every((value) => value === 0))

/** Arrangements for measurements: several keys, tempi, styles and voices. */
export const arrangements: readonly Arrangement[] = [
  {
    bpm: 120,
    tonic: 60,
    mode: 'major',
    seed: 1,
    beat: 'rock',
    harmony: 'pad',
    bass: 'saw',
    voice: 'high',
    seconds: 24,
  },
  {
    bpm: 96,
    tonic: 57,
    mode: 'minor',
    seed: 2,
    beat: 'half-time',
    harmony: 'plucked',
    bass: 'sine',
    voice: 'high',
    seconds: 24,
  },
  {
    bpm: 128,
    tonic: 65,
    mode: 'minor',
    seed: 3,
    beat: 'four-floor',
    harmony: 'organ',
    bass: 'saw',
    voice: 'low',
    seconds: 24,
  },
  {
    bpm: 78,
    tonic: 62,
    mode: 'major',
    seed: 4,
    beat: 'half-time',
    harmony: 'organ',
    bass: 'plucked',
    voice: 'low',
    seconds: 24,
  },
  {
    bpm: 142,
    tonic: 67,
    mode: 'major',
    seed: 5,
    beat: 'rock',
    harmony: 'plucked',
    bass: 'plucked',
    voice: 'high',
    seconds: 24,
  },
  {
    bpm: 108,
    tonic: 63,
    mode: 'minor',
    seed: 6,
    beat: 'rock',
    harmony: 'pad',
    bass: 'sine',
    voice: 'low',
    seconds: 24,
  },
]

/** Signal-to-distortion ratio in dB: the energy of the true stem over that of the difference, gains included. */
export const sdr = (estimate: Block, truth: Block): number => {
  let [energy, distortion] = [0, 0]
  for (const [index, channel] of truth.entries())
    for (let i = 0; i < channel.length; i++) {
      const value = channel[i] ?? 0
      energy += value * value
      distortion += ((estimate[index]?.[i] ?? 0) - value) ** 2
    }
  return 10 * Math.log10(Math.max(energy, 1e-20) / Math.max(distortion, 1e-20))
}

/**
 * Scale-invariant signal-to-distortion ratio (dB) of an estimate (Le Roux et al. 2019), over all channels together. The means
 * are not removed: audio has none.
 */
export const siSdr = (estimate: Block, truth: Block): number => {
  let [product, energy] = [0, 0]
  for (const [index, channel] of truth.entries())
    for (let i = 0; i < channel.length; i++) {
      const [t, e] = [channel[i] ?? 0, estimate[index]?.[i] ?? 0]
      product += t * e
      energy += t * t
    }
  const scale = product / Math.max(energy, 1e-20)
  let distortion = 0
  for (const [index, channel] of truth.entries())
    for (let i = 0; i < channel.length; i++)
      distortion += ((estimate[index]?.[i] ?? 0) - scale * (channel[i] ?? 0)) ** 2
  return 10 * Math.log10((scale * scale * energy) / Math.max(distortion, 1e-20))
}
