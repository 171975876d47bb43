import type { Random } from '../src/dsp/random.ts'

/** What an instrument is to play; lengths in samples at 22,050 Hz. */
export type Tone = {
  readonly random: Random
  readonly length: number
  readonly hertz: number
  readonly gain: number
}

/** Plays a tone. Percussion ignores the length and the pitch. */
export type Instrument = (tone: Tone) => Float32Array

const rate = 22_050

/** A sum of partials, as rotations: a sine per sample would take most of the time. */
const partialsOf =
  (
    partials: readonly (readonly [ratio: number, gain: number, decay: number])[],
    {
      attack,
      release = 0.03,
      vibrato = 0,
      breath = 0,
    }: Partial<Record<'release' | 'vibrato' | 'breath', number>> & {
      attack: number
    },
  ): Instrument =>
  ({ length, hertz, gain, random }) => {
    const tail = Math.round(release * rate)
    const sound = new Float32Array(Math.max(0, length + tail))
    const phase = 2 * Math.PI * random.next()
    for (const [ratio, level, decay] of partials) {
      const base = (2 * Math.PI * hertz * ratio) / rate
      if (base > 0.9 * Math.PI) continue
      let [re, im] = [Math.cos(phase * ratio), Math.sin(phase * ratio)]
      let [cos, sin] = [Math.cos(base), Math.sin(base)]
      const shrink = Math.exp(-decay / rate)
      let size = level * gain
      for (let i = 0; i < sound.length; i++) {
        if (vibrato > 0 && i % 64 === 0) {
          const depth = vibrato * Math.min(1, i / (0.3 * rate))
          const angle = base * (1 + depth * Math.sin((2 * Math.PI * 5.2 * i) / rate + phase))
          cos = Math.cos(angle)
          sin = Math.sin(angle)
        }
        const next = re * cos - im * sin
        im = re * sin + im * cos
        re = next
        size *= shrink
        sound[i] = (sound[i] ?? 0) + im * size
      }
    }
    for (let i = 0; i < sound.length; i++) {
      const shape = Math.min(1, i / (attack * rate)) * Math.min(1, (sound.length - i) / tail)
      sound[i] = ((sound[i] ?? 0) + breath * gain * (random.next() - 0.5)) * shape
    }
    return sound
  }

/** Partials 1, 2, ... of which each is weaker by a power of its number and decays faster. */
const harmonics = (count: number, slope: number, decay: number, odd = false) =>
  Array.from({ length: count }, (_, i) => {
    const number = odd ? 2 * i + 1 : i + 1
    return [number, number ** -slope, decay * (0.6 + 0.4 * number)] as const
  })

/** A plucked string (Karplus and Strong, 1983). */
const pluck =
  (damping: number): Instrument =>
  ({ length, hertz, gain, random }) => {
    const period = Math.max(2, Math.round(rate / hertz))
    const string = Float32Array.from({ length: period }, () => 2 * random.next() - 1)
    const sound = new Float32Array(Math.max(0, length + 400))
    for (let i = 0; i < sound.length; i++) {
      const at = i % period
      const value = string[at] ?? 0
      sound[i] = gain * value * Math.min(1, (sound.length - i) / 400)
      string[at] = damping * 0.5 * (value + (string[(at + 1) % period] ?? 0))
    }
    return sound
  }

/** Two sines, of which one modulates the frequency of the other (Chowning, 1973). */
const modulated =
  (ratio: number, depth: number, decay: number): Instrument =>
  ({ length, hertz, gain }) =>
    Float32Array.from({ length: Math.max(0, length) }, (_, i) => {
      const t = i / rate
      const fade = Math.min(1, i / 40, (length - i) / 300)
      const bend = depth * Math.exp(-4 * t) * Math.sin(2 * Math.PI * hertz * ratio * t)
      return gain * fade * Math.exp(-decay * t) * Math.sin(2 * Math.PI * hertz * t + bend)
    })

/** Noise through two one-pole filters, with a decay and possibly a tone below. */
const noise =
  ({
    low,
    high,
    decay,
    attack = 0,
    tone = 0,
    level = 0,
  }: Record<'low' | 'high' | 'decay', number> & Partial<Record<'attack' | 'tone' | 'level', number>>): Instrument =>
  ({ gain, random }) => {
    const [slow, fast] = [1 - Math.exp((-2 * Math.PI * low) / rate), 1 - Math.exp((-2 * Math.PI * high) / rate)]
    let [a, b] = [0, 0]
    return Float32Array.from({ length: Math.round((5 * rate) / decay + attack * rate) }, (_, i) => {
      const white = 2 * random.next() - 1
      a += slow * (white - a)
      b += fast * (white - b)
      const t = i / rate
      const shape = attack > 0 ? Math.min(1, t / attack) : 1
      const body = level * Math.sin(2 * Math.PI * tone * t) * Math.exp(-1.4 * decay * t)
      return gain * shape * (Math.exp(-decay * Math.max(0, t - attack)) * (b - a) + body)
    })
  }

/** A drum skin, whose pitch falls from the stroke on. */
const drum =
  (hertz: number, fall: number, decay: number): Instrument =>
  ({ gain }) =>
    Float32Array.from({ length: Math.round((5 * rate) / decay) }, (_, i) => {
      const t = i / rate
      const phase = hertz * t + (fall / 45) * (1 - Math.exp(-45 * t))
      return gain * Math.exp(-decay * t) * Math.sin(2 * Math.PI * phase)
    })

const bar = [
  [1, 1, 6],
  [3.9, 0.35, 25],
  [9.2, 0.1, 60],
] as const
const metal = [1, 1.34, 1.72, 2.1, 2.61, 3.3].map((ratio) => [ratio, 0.3, 5] as const)

const at =
  (instrument: Instrument, hertz: number, seconds: number): Instrument =>
  (tone) =>
    instrument({ ...tone, hertz, length: Math.round(seconds * rate) })

const scaled =
  (gain: number, instrument: Instrument): Instrument =>
  (tone) =>
    instrument({ ...tone, gain: gain * tone.gain })

export const instruments = {
  'deep kick': scaled(0.6, drum(46, 120, 11)),
  'dry kick': scaled(0.5, drum(68, 180, 28)),
  'concert drum': scaled(0.5, drum(55, 25, 7)),
  surdo: scaled(0.45, drum(72, 30, 9)),
  tom: scaled(0.35, drum(120, 60, 12)),
  'tight snare': scaled(0.34, noise({ low: 500, high: 7000, decay: 30, tone: 210, level: 0.5 })),
  'fat snare': scaled(0.4, noise({ low: 200, high: 4500, decay: 16, tone: 165, level: 0.6 })),
  brush: scaled(0.2, noise({ low: 900, high: 6000, decay: 25, attack: 0.025 })),
  clap: scaled(0.45, noise({ low: 800, high: 3500, decay: 22 })),
  rim: scaled(0.3, at(partialsOf(bar, { attack: 0.0005 }), 830, 0.06)),
  cowbell: scaled(0.12, at(partialsOf(metal, { attack: 0.001 }), 560, 0.15)),
  'closed hat': scaled(0.16, noise({ low: 6000, high: 10_500, decay: 70 })),
  'open hat': scaled(0.16, noise({ low: 5000, high: 10_500, decay: 11 })),
  ride: scaled(0.05, at(partialsOf(metal, { attack: 0.001 }), 2900, 0.4)),
  shaker: scaled(0.13, noise({ low: 4000, high: 9000, decay: 50, attack: 0.018 })),
  tambourine: scaled(0.15, noise({ low: 5500, high: 10_500, decay: 32 })),
  click: scaled(0.4, at(partialsOf([[1, 1, 60]], { attack: 0.0005 }), 1500, 0.05)),
  'plucked bass': scaled(0.28, pluck(0.994)),
  'saw bass': scaled(0.2, partialsOf(harmonics(9, 1, 1.5), { attack: 0.006 })),
  'sine bass': scaled(0.28, partialsOf(harmonics(2, 1.6, 1.2), { attack: 0.012 })),
  tuba: scaled(0.24, partialsOf(harmonics(6, 1.2, 0.8), { attack: 0.035, breath: 0.03 })),
  guitar: scaled(0.16, pluck(0.996)),
  'muted guitar': scaled(0.16, pluck(0.95)),
  harpsichord: scaled(0.12, partialsOf(harmonics(14, 0.7, 2.2), { attack: 0.001 })),
  harp: scaled(0.16, pluck(0.998)),
  'grand piano': scaled(0.13, partialsOf(harmonics(9, 1.25, 1.6), { attack: 0.003, release: 0.09 })),
  'electric piano': scaled(0.14, modulated(1, 1.8, 1.8)),
  bells: scaled(0.11, modulated(3.5, 1.5, 2.5)),
  marimba: scaled(0.2, partialsOf(bar, { attack: 0.002 })),
  organ: scaled(0.07, partialsOf(harmonics(5, 0.8, 0), { attack: 0.012 })),
  'church organ': scaled(0.06, partialsOf(harmonics(8, 0.6, 0), { attack: 0.05, release: 0.12 })),
  violins: scaled(0.08, partialsOf(harmonics(10, 1, 0), { attack: 0.07, release: 0.08, vibrato: 0.006 })),
  'short strings': scaled(0.12, partialsOf(harmonics(9, 1, 4), { attack: 0.02, release: 0.06 })),
  choir: scaled(0.08, partialsOf(harmonics(6, 1.5, 0), { attack: 0.12, release: 0.15, vibrato: 0.008 })),
  flute: scaled(0.14, partialsOf(harmonics(3, 1.8, 0), { attack: 0.045, vibrato: 0.005, breath: 0.08 })),
  clarinet: scaled(0.11, partialsOf(harmonics(5, 1.1, 0, true), { attack: 0.03 })),
  trumpet: scaled(0.11, partialsOf(harmonics(9, 0.8, 0), { attack: 0.025, vibrato: 0.003 })),
  horns: scaled(0.1, partialsOf(harmonics(6, 1.1, 0.3), { attack: 0.05 })),
  accordion: scaled(0.07, partialsOf(harmonics(10, 0.7, 0), { attack: 0.03 })),
  stab: scaled(0.09, partialsOf(harmonics(12, 0.9, 7), { attack: 0.003 })),
} satisfies Record<string, Instrument>

export type InstrumentName = keyof typeof instruments
