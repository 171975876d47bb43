import { createRandom } from '../src/dsp/random.ts'

/** A tune of known tempo, for evaluating trackers. */
export type TempoTune = {
  readonly bpm: number
  readonly beatsPerBar: 3 | 4
  readonly style: TuneStyle
  readonly seconds: number
  readonly seed: number
}

const RATE = 22_050

type Sound = 'kick' | 'snare' | 'hat' | 'bass' | 'chord' | 'note'
/** The sounds in a beat of a bar, each with its position in the beat and its probability. */
type Pattern = (beat: number, beatsPerBar: number) => readonly (readonly [sound: Sound, at: number, likely?: number])[]

const isBackbeat = (beat: number, beatsPerBar: number) => (beatsPerBar === 3 ? beat > 0 : beat % 2 === 1)

/** Styles, with drums, off-beats and melodies in their usual proportions. */
const styles = {
  rock: (beat, per) => [
    ...(beat === 0 || (per === 4 && beat === 2)
      ? [['kick', 0] as const, ['bass', 0] as const]
      : [['bass', 0, 0.6] as const]),
    ...(isBackbeat(beat, per) ? [['snare', 0] as const] : []),
    ['hat', 0],
    ['hat', 0.5],
    ...(beat === 0 ? [['chord', 0] as const] : []),
    ['note', 0, 0.5],
    ['note', 0.5, 0.3],
  ],
  'four-floor': (beat, per) => [
    ['kick', 0],
    ['hat', 0.5],
    ['bass', 0.5, 0.8],
    ...(isBackbeat(beat, per) ? [['snare', 0] as const] : []),
    ...(beat === 0 ? [['chord', 0] as const] : []),
  ],
  // Only the harmony distinguishes the beats.
  even: (beat) => [['kick', 0], ['hat', 0], ['hat', 0.5], ...(beat === 0 ? [['chord', 0] as const] : [])],
  swing: (beat, per) => [
    ['bass', 0],
    ['hat', 0],
    ...(isBackbeat(beat, per) ? [['hat', 2 / 3] as const] : []),
    ['note', 0, 0.5],
    ['note', 2 / 3, 0.5],
    ...(beat === 0 ? [['chord', 0] as const] : []),
  ],
  'no drums': (beat) => [
    ['bass', 0, beat === 0 ? 1 : 0.7],
    ...(beat === 0 ? [['chord', 0] as const] : []),
    ['note', 0, 0.8],
    ['note', 0.5, 0.4],
  ],
  sparse: (beat) => [
    ['chord', 0, beat === 0 ? 1 : 0.15],
    ['note', 0, 0.6],
    ['note', 0.5, 0.15],
  ],
  solo: (beat) => [
    ['note', 0, beat === 0 ? 0.95 : 0.75],
    ['note', 0.5, 0.35],
  ],
} satisfies Record<string, Pattern>

export type TuneStyle = keyof typeof styles
export const tuneStyles = Object.keys(styles) as TuneStyle[]

const hertzOf = (note: number): number => 440 * 2 ** ((note - 69) / 12)
const scale = [0, 2, 4, 5, 7, 9, 11]
const roots = [0, 4, 5, 3]

/** Renders a tune in mono at 22,050 Hz; the same tune yields the same samples. Its first beat is at 0.2 s. */
export const playTune = ({ bpm, beatsPerBar, style, seconds, seed }: TempoTune): Float32Array => {
  const random = createRandom(seed * 1000 + bpm)
  const samples = new Float32Array(seconds * RATE)
  const add = (time: number, length: number, sound: (t: number) => number) => {
    const start = Math.round(time * RATE)
    for (let i = 0; i < length * RATE && start + i < samples.length; i++) {
      const fade = Math.min(1, (length * RATE - i) / (0.02 * RATE))
      samples[start + i] = (samples[start + i] ?? 0) + fade * sound(i / RATE)
    }
  }
  const noise = (decay: number, gain: number) => (t: number) => gain * Math.exp(-t * decay) * (2 * random.next() - 1)
  const tone = (note: number, decay: number, gain: number, attack: number) => (t: number) =>
    [1, 2, 3, 4].reduce((sum, k) => sum + Math.sin(2 * Math.PI * hertzOf(note) * k * t) / k, 0) *
    gain *
    Math.exp(-t * decay) *
    Math.min(1, t / attack)
  const beat = 60 / bpm
  const degree = (step: number) => 60 + 12 * Math.floor(step / 7) + (scale[((step % 7) + 7) % 7] ?? 0)
  for (let index = 0; 0.2 + index * beat < seconds; index++) {
    const inBar = index % beatsPerBar
    const root = roots[Math.floor(index / beatsPerBar) % 4] ?? 0
    const play: Record<Sound, (time: number) => void> = {
      kick: (time) =>
        add(time, 0.2, (t) => 0.5 * Math.exp(-t * 18) * Math.sin(2 * Math.PI * (50 * t + 6 * (1 - Math.exp(-t * 40))))),
      snare: (time) => add(time, 0.15, noise(22, 0.2)),
      hat: (time) => add(time, 0.05, noise(100, 0.06)),
      bass: (time) => add(time, beat * 0.9, tone(degree(root) - 24, 3, 0.15, 0.004)),
      chord: (time) => {
        for (const third of [0, 2, 4]) add(time, beat * beatsPerBar, tone(degree(root + third), 1.5, 0.05, 0.01))
      },
      note: (time) =>
        add(
          time,
          beat * (0.5 + random.next()),
          tone(degree(root + Math.floor(random.next() * 8)) + 12, 2.5, 0.08, 0.02),
        ),
    }
    const pattern: Pattern = styles[style]
    for (const [sound, at, likely = 1] of pattern(inBar, beatsPerBar)) {
      // Humans are a few milliseconds off.
      if (random.next() < likely) play[sound](0.2 + (index + at) * beat + 0.006 * (random.next() - 0.5))
    }
  }
  return samples
}
