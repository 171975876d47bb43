import { quantile } from '../dsp/statistics.ts'
import type { Voicing } from '../dsp/voicing.ts'

/** How the pitch of a voice moves: what distinguishes speaking from singing and playing. */
export type VoiceTraits = {
  /** Number of voices: stretches of pitch without a leap or a gap. */
  readonly count: number
  /** Share (0..1) of the audible time that has a pitch. */
  readonly voiced: number
  /** Share (0..1) of the voiced time in which a pitch is held, as that of a note is. */
  readonly held: number
  /** How exactly the pitches lie on one scale of semitones: 0 (anywhere) to 1. */
  readonly inTune: number
  /** Median speed of the pitch (semitones/s), without vibrato. */
  readonly glide: number
}

/** What is this far (dB) below the loudest tenth is inaudible beside it. */
export const inaudibleDb = 25
/** The shortest voice (s): a vowel. Shorter ones are chance. */
const shortestVoice = 0.04
/** Largest change of pitch between two frames of a voice (semitones). */
const largestStep = 1.5
/** Time over which a vibrato is averaged (s): one swing of 5.5 Hz. */
const vibratoSeconds = 0.18
/** Greatest width (semitones) and shortest duration (s) of a held pitch. */
const noteWidth = 0.6
const noteSeconds = 0.22

const semitonesOf = (hertz: number): number => 12 * Math.log2(hertz / 440)

/** The pitches of each voice, in semitones. */
const voicesOf = ({ hertz, power, rate }: Voicing, floor: number): number[][] => {
  const voices: number[][] = []
  let current: number[] = []
  for (let frame = 0; frame <= hertz.length; frame++) {
    const isVoiced = (hertz[frame] ?? 0) > 0 && (power[frame] ?? 0) > floor
    const pitch = isVoiced ? semitonesOf(hertz[frame] ?? 0) : Number.NaN
    if (isVoiced && Math.abs(pitch - (current.at(-1) ?? pitch)) <= largestStep) {
      current.push(pitch)
      continue
    }
    if (current.length >= shortestVoice * rate) voices.push(current)
    current = isVoiced ? [pitch] : []
  }
  return voices
}

/** Averages a vibrato out; near the ends of a voice over less time. */
const withoutVibrato = (pitches: readonly number[], frames: number): number[] =>
  pitches.map((_, at) => {
    const side = Math.min(Math.floor(frames / 2), at, pitches.length - 1 - at)
    let sum = 0
    for (let i = at - side; i <= at + side; i++) sum += pitches[i] ?? 0
    return sum / (2 * side + 1)
  })

/** Frames of a voice in which its pitch is held for at least `shortest` frames. */
const heldFrames = (pitches: readonly number[], shortest: number): number => {
  let held = 0
  for (let from = 0; from < pitches.length; ) {
    let [low, high, to] = [pitches[from] ?? 0, pitches[from] ?? 0, from + 1]
    for (; to < pitches.length; to++) {
      const pitch = pitches[to] ?? 0
      if (Math.max(high, pitch) - Math.min(low, pitch) > noteWidth) break
      low = Math.min(low, pitch)
      high = Math.max(high, pitch)
    }
    const isHeld = to - from >= shortest
    if (isHeld) held += to - from
    from = isHeld ? to : from + 1
  }
  return held
}

/** Length of the mean of pitches as directions on a circle of one semitone. */
const concentration = (pitches: readonly number[]): number => {
  let [x, y] = [0, 0]
  for (const pitch of pitches) {
    x += Math.cos(2 * Math.PI * pitch)
    y += Math.sin(2 * Math.PI * pitch)
  }
  return Math.hypot(x, y) / Math.max(1, pitches.length)
}

export const voiceTraits = (voicing: Voicing): VoiceTraits => {
  const { power, rate } = voicing
  const floor = quantile(power, 0.9) * 10 ** (-inaudibleDb / 10)
  const audible = power.filter((value) => value > floor).length
  const voices = voicesOf(voicing, floor).map((voice) => withoutVibrato(voice, vibratoSeconds * rate))
  const pitches = voices.flat()
  const speeds = voices.flatMap((voice) => voice.slice(1).map((pitch, i) => Math.abs(pitch - (voice[i] ?? 0)) * rate))
  const held = voices.reduce((sum, voice) => sum + heldFrames(voice, noteSeconds * rate), 0)
  return {
    count: voices.length,
    voiced: pitches.length / Math.max(1, audible),
    held: held / Math.max(1, pitches.length),
    inTune: concentration(pitches),
    glide: quantile(speeds, 0.5),
  }
}
