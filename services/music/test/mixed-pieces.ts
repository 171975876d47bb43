import { type Block, silentBlock } from '../src/audio/pcm.ts'
import { createRandom, type Random } from '../src/dsp/random.ts'
import { addRoom, between, playNotes } from './ensemble-pieces.ts'
import { ensembleStyles, type Part } from './ensemble-styles.ts'
import type { InstrumentName } from './instruments.ts'
import { type PartName, type PieceOfParts, partNames, singMelody } from './stem-pieces.ts'

/** A recording of an ensemble and mostly a voice, mixed as in a studio: panned, at several levels, in a room. */
export type Mix = {
  readonly seed: number
  readonly seconds: number
  readonly channels: 1 | 2
}

const rate = 22_050

const percussion: ReadonlySet<InstrumentName> = new Set([
  'deep kick',
  'dry kick',
  'concert drum',
  'surdo',
  'tom',
  'tight snare',
  'fat snare',
  'brush',
  'clap',
  'rim',
  'cowbell',
  'closed hat',
  'open hat',
  'ride',
  'shaker',
  'tambourine',
  'click',
])
const basses: ReadonlySet<InstrumentName> = new Set(['plucked bass', 'saw bass', 'sine bass', 'tuba'])
/** In the middle of most recordings. */
const central: ReadonlySet<InstrumentName> = new Set(['deep kick', 'dry kick', 'tight snare', 'fat snare', 'clap'])

const nameOf = ({ instrument }: Part): PartName =>
  percussion.has(instrument) ? 'drums' : basses.has(instrument) ? 'bass' : 'other'

/** Share of recordings with a voice. */
const sungShare = 0.85
/** Usual level of a part (dB), and by how much faders are above or below it. */
const levels: Record<PartName, number> = { vocals: 0, drums: 0, bass: -1, other: -2 }
const faderDecibels = 4

/** Adds a track at a place from -1 (left) to 1 (right) with constant power; the right channel may be late, as of a second microphone. */
const pan = (block: Block, track: Float32Array, { place, delay }: { place: number; delay: number }): void => {
  for (const [index, channel] of block.entries()) {
    const angle = ((place + 1) * Math.PI) / 4
    const gain = block.length === 1 ? Math.SQRT1_2 : index === 0 ? Math.cos(angle) : Math.sin(angle)
    const late = index === 1 ? delay : 0
    for (let i = late; i < channel.length; i++) channel[i] = (channel[i] ?? 0) + gain * (track[i - late] ?? 0)
  }
}

const placeOf = (random: Random, { instrument }: Part): { place: number; delay: number } => {
  if (central.has(instrument) || basses.has(instrument)) return { place: between(random, -0.05, 0.05), delay: 0 }
  const place = random.next() < 0.2 ? 0 : between(random, -0.8, 0.8)
  const isWide = !percussion.has(instrument) && random.next() < 0.4
  return { place, delay: isWide ? Math.round(between(random, 0.004, 0.02) * rate) : 0 }
}

const rootMeanSquare = (block: Block): number =>
  Math.sqrt(
    block.reduce((sum, channel) => channel.reduce((squares, value) => squares + value * value, sum), 0) /
      (block.length * (block[0]?.length ?? 1)),
  )

const scale = (block: Block, gain: number): void => {
  for (const channel of block) for (let i = 0; i < channel.length; i++) channel[i] = gain * (channel[i] ?? 0)
}

/** Plays and mixes a piece at 22,050 Hz; the same mix yields the same samples. */
export const playMix = ({ seed, seconds, channels }: Mix): PieceOfParts => {
  const random = createRandom(seed * 7_919 + 5)
  const style = ensembleStyles[seed % ensembleStyles.length]
  if (!style) throw new Error('there are no styles')
  const bpm = style.metre === '6/8' ? between(random, 45, 90) : between(random, 66, 160)
  const made = () => silentBlock(channels, Math.round(seconds * rate))
  const parts: Record<PartName, Block> = { vocals: made(), drums: made(), bass: made(), other: made() }
  const tracks = new Map<Part, Float32Array>(
    style.parts.map((part) => [part, new Float32Array(Math.round(seconds * rate))]),
  )
  const score = { metre: style.metre, style: style.name, bpm, seconds, seed }
  const { noteOf } = playNotes(score, (part) => tracks.get(part) ?? new Float32Array())
  for (const [part, track] of tracks) pan(parts[nameOf(part)], track, placeOf(random, part))
  if (random.next() < sungShare) {
    const voice = random.next() < 0.5 ? 'low' : 'high'
    const [track] = silentBlock(1, Math.round(seconds * rate))
    const singing = { bpm, seconds, seed, voice, tilt: between(random, 0.8, 1.8) } as const
    singMelody([track ?? new Float32Array()], rate, singing, (degree) => noteOf(degree) + 12)
    pan(parts.vocals, track ?? new Float32Array(), { place: between(random, -0.08, 0.08), delay: 0 })
  }
  for (const name of ['vocals', 'drums', 'other'] as const) for (const channel of parts[name]) addRoom(channel, random)
  for (const name of partNames) {
    const decibels = levels[name] + between(random, -faderDecibels, faderDecibels)
    const level = rootMeanSquare(parts[name])
    if (level > 0) scale(parts[name], 10 ** (decibels / 20) / level)
  }
  const mixture = made()
  for (const [index, channel] of mixture.entries())
    for (let i = 0; i < channel.length; i++)
      channel[i] = partNames.reduce((sum, name) => sum + (parts[name][index]?.[i] ?? 0), 0)
  const loudest = mixture.reduce((max, channel) => channel.reduce((m, value) => Math.max(m, Math.abs(value)), max), 0)
  const gain = 0.9 / Math.max(loudest, 1e-9)
  for (const block of [...Object.values(parts), mixture]) scale(block, gain)
  return { sampleRate: rate, parts, mixture }
}
