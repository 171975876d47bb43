import type { Analysis } from '../analysis/analyse.ts'
import { analysisRate, HOP } from '../analysis/spectral-frames.ts'
import { type Stretch, type StretchSounds, soundsOf } from '../analysis/step-features.ts'
import { findSections, phrasePlaces, type Section } from '../analysis/structure.ts'
import { meanOf, median } from '../dsp/statistics.ts'
import { type SectionName, sectionsNamed } from './named-sections.ts'
import { steadyPulse } from './steady-pulse.ts'

/**
 * A stretch of the source that is always played whole: a beat where the music has a pulse, else a short stretch of fixed
 * length. Times are samples at ANALYSIS_RATE.
 */
export type Step = {
  readonly start: number
  readonly end: number
  /** Where it would start if the pulse around it were kept: a beat starts with its attack, which may be early or late. */
  readonly pulse: number
  /** Most likely position within its bar (0 is the downbeat); always 0 without bars. */
  readonly barPosition: number
  /** Mean level in dB. */
  readonly level: number
  /** Mean power. */
  readonly power: number
  /** How much begins in it (mean onset strength), relative to the median of all steps. */
  readonly density: number
}

/** The source cut into comparable steps. */
export type StepGrid = {
  readonly kind: 'beats' | 'texture'
  readonly steps: readonly Step[]
  /** Steps per bar; 1 without bars. */
  readonly stepsPerBar: number
  /** The step in which the source ends, and the position of the end within it (0..1). */
  readonly endStep: number
  readonly endPhase: number
  /** Median level of all steps in dB. */
  readonly medianLevel: number
  /** How unlike two steps are; 1 is as unlike as two random steps. */
  distance(a: number, b: number): number
  /**
   * How likely (0..1) step `b` is not `later` positions after step `a` in the bar. The bars of a piece are an estimate, so this
   * is seldom 0 or 1.
   */
  barClash(a: number, b: number, later: number): number
  /** How far (0..1) step `b` is from the place in the phrase that is `later` steps after step `a`. */
  phraseClash(a: number, b: number, later: number): number
  /** How likely (0..1) a phrase, and a bar, ends with a step. */
  phraseEnd(step: number): number
  barEnd(step: number): number
  /** The steps of the sections of a name; undefined if the piece has none. */
  stepsOfSection(name: SectionName): ReadonlySet<number> | undefined
}

/** Length of a step without a pulse (s), and the minimum number of steps of a short source. */
const textureStep = 0.75
const fewestSteps = 8

const evenBoundaries = (samples: number): number[] => {
  const length = Math.min(textureStep * analysisRate, samples / fewestSteps)
  const count = Math.max(1, Math.floor(samples / length))
  return Array.from({ length: count }, (_, i) => i * length)
}

/** The step that contains a time. */
const stepAt = (boundaries: readonly number[], time: number): number => {
  const next = boundaries.findIndex((boundary) => boundary > time)
  return next < 0 ? boundaries.length - 1 : Math.max(0, next - 1)
}

const zero = () => 0
const noPlaces = {
  barClash: zero,
  phraseClash: zero,
  phraseEnd: zero,
  barEnd: zero,
  stepsOfSection: () => undefined,
}

/** Places of beats in bars and phrases, compared as far as the analysis is sure of them. */
const placesOf = ({ bars }: Analysis, { contrast, levels }: Pick<StretchSounds, 'contrast' | 'levels'>) => {
  const { positions, likely, beatsPerBar: size } = bars
  const sections = findSections({ positions, beatsPerBar: size, distance: contrast })
  const phrases = phrasePlaces({ positions, beatsPerBar: size }, sections)
  const phraseSteps = 4 * size
  const at = (beat: number, position: number) => likely[beat * size + (((position % size) + size) % size)] ?? 1 / size
  return {
    barClash(a: number, b: number, later: number) {
      let agreement = 0
      for (let position = 0; position < size; position++) agreement += at(a, position - later) * at(b, position)
      return 1 - agreement
    },
    phraseClash(a: number, b: number, later: number) {
      const apart = Math.abs((phrases[b] ?? 0) - (phrases[a] ?? 0) - later / phraseSteps) % 1
      return 2 * Math.min(apart, 1 - apart)
    },
    phraseEnd: (step: number) =>
      Math.round(((phrases[step] ?? 0) + 1 / phraseSteps) * phraseSteps) % phraseSteps === 0 ? at(step, size - 1) : 0,
    barEnd: (step: number) => at(step, size - 1),
    stepsOfSection(name: SectionName) {
      const beatsOf = ({ firstBeat, endBeat }: Section) =>
        Array.from({ length: endBeat - firstBeat }, (_, i) => firstBeat + i)
      const named = sectionsNamed(name, sections, levels)
      return named && new Set(named.flatMap(beatsOf))
    },
  }
}

/** Mean onset strength of stretches, relative to their median. */
const densitiesOf = (onsets: Float32Array, stretches: readonly Stretch[]): number[] => {
  const means = stretches.map(({ start, end }) =>
    meanOf(onsets.subarray(Math.round(start / HOP), Math.round(end / HOP))),
  )
  const unit = median(means) || 1
  return means.map((value) => value / unit)
}

/** Cuts an analysed source into steps: beats if it has a pulse and enough beats, else an even grid. */
export const cutIntoSteps = (analysis: Analysis): StepGrid => {
  const { samples, beats, bars } = analysis
  const kind = analysis.bpm !== null && beats.length >= fewestSteps ? 'beats' : 'texture'
  const boundaries = kind === 'beats' ? [...beats] : evenBoundaries(samples)
  const lastLength = (boundaries.at(-1) ?? 0) - (boundaries.at(-2) ?? 0)
  const stretches = boundaries.map((start, i) => ({ start, end: boundaries[i + 1] ?? start + lastLength }))
  const { levels, powers, distance, contrast } = soundsOf(
    analysis,
    stretches.map(({ start, end }) => ({ start, end: Math.min(end, samples) })),
  )
  const densities = densitiesOf(analysis.onsets, stretches)
  const pulse = kind === 'beats' ? steadyPulse(boundaries) : boundaries
  const endStep = stepAt(pulse, samples)
  const endPulse = pulse[endStep] ?? 0
  const endLength = (pulse[endStep + 1] ?? endPulse + lastLength) - endPulse
  return {
    kind,
    steps: stretches.map((stretch, i) => ({
      ...stretch,
      pulse: pulse[i] ?? stretch.start,
      barPosition: kind === 'beats' ? (bars.positions[i] ?? 0) : 0,
      level: levels[i] ?? 0,
      power: powers[i] ?? 0,
      density: densities[i] ?? 1,
    })),
    stepsPerBar: kind === 'beats' ? bars.beatsPerBar : 1,
    endStep,
    endPhase: endLength > 0 ? Math.min(0.999, Math.max(0, (samples - endPulse) / endLength)) : 0,
    medianLevel: median(levels),
    distance,
    ...(kind === 'beats' ? placesOf(analysis, { contrast, levels }) : noPlaces),
  }
}
