import { BANDS, HOP, type SpectralFrames } from '../analysis/spectral-frames.ts'
import { median } from '../dsp/statistics.ts'
import type { StepGrid } from './steps.ts'

/** Spans of frames before the join that are compared, with equal weight: the last 0.1 s and the last two seconds. */
const SPANS = [9, 172]
/** Cost of a position with too little audio before it to compare. */
const unknown = 1.2

/** Root-mean-square difference (dB) of the frames before two positions; undefined if one has too few. */
const unlikeness = ({ levels, frames }: SpectralFrames, a: number, b: number, span: number): number | undefined => {
  const length = Math.min(span, a, b)
  if (length < Math.min(span, SPANS[0] ?? 1) || a > frames || b > frames) return undefined
  let sum = 0
  for (let i = 1; i <= length; i++) {
    for (let band = 0; band < BANDS; band++) {
      const difference = (levels[(a - i) * BANDS + band] ?? 0) - (levels[(b - i) * BANDS + band] ?? 0)
      sum += difference * difference
    }
  }
  return Math.sqrt(sum / (length * BANDS))
}

/** Where playing would begin after the source's end, in samples at ANALYSIS_RATE: in a step, at a position (0..1) of its beat. */
export const entryOf = ({ steps }: StepGrid, step: number, phase: number): number => {
  const found = steps[step]
  if (!found) return 0
  const next = steps[step + 1]?.pulse ?? found.pulse + found.end - found.start
  return found.pulse + phase * (next - found.pulse)
}

/** Frames whose loudest band is this far (dB) below the loudest of all are silence. */
const silenceDb = 45

/** Number of whole steps at the end of the source in which it has already faded out. */
export const silentSteps = ({ levels, frames }: SpectralFrames, { steps }: StepGrid): number => {
  const loudest = (frame: number) =>
    levels.subarray(frame * BANDS, (frame + 1) * BANDS).reduce((a, b) => Math.max(a, b), -200)
  let peak = -200
  for (let frame = 0; frame < frames; frame++) peak = Math.max(peak, loudest(frame))
  let last = frames - 1
  while (last > 0 && loudest(last) < peak - silenceDb) last--
  const length = (steps.at(-1)?.end ?? 0) - (steps.at(-1)?.start ?? 0)
  const silent = Math.ceil(((frames - 1 - last) * HOP) / Math.max(1, length))
  return last === frames - 1 ? 0 : Math.min(silent, steps.length - 2)
}

/**
 * Cost of beginning at each step: how unlike the sound just before its entry is to the end of the source, over a short and a
 * long span; 1 is as unlike as random positions. If the source has faded out at its end, the music is assumed to have
 * continued silently: both positions are then moved back by the number of silent steps.
 */
export const startCosts = (spectral: SpectralFrames, grid: StepGrid): number[] => {
  const silent = silentSteps(spectral, grid)
  const frameOf = (step: number) => Math.round(entryOf(grid, step, grid.endPhase) / HOP)
  const end = silent === 0 ? spectral.frames : frameOf(grid.endStep - silent)
  const spans = SPANS.map((span) => {
    const values = grid.steps.map((_, step) =>
      step < silent ? undefined : unlikeness(spectral, end, frameOf(step - silent), span),
    )
    const unit = median(values.filter((value) => value !== undefined)) || 1
    return values.map((value) => (value === undefined ? unknown : value / unit))
  })
  return grid.steps.map((_, step) => spans.reduce((sum, values) => sum + (values[step] ?? unknown), 0) / spans.length)
}
