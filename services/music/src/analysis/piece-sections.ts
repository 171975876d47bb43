import type { Analysis } from './analyse.ts'
import { analysisRate } from './spectral-frames.ts'
import { soundsOf } from './step-features.ts'
import { findSections, type Section } from './structure.ts'

/** A section of a piece in seconds; sections with the same label sound alike. */
export type PieceSection = { readonly start: number; readonly end: number } & Pick<Section, 'label'>

/** Finds the sections of an analysed piece by how its beats sound; none in a piece of fewer than eight bars. */
export const sectionsOfPiece = (analysis: Analysis): PieceSection[] => {
  const { beats, bars, samples } = analysis
  const stretches = beats.map((start, beat) => ({ start, end: Math.min(samples, beats[beat + 1] ?? samples) }))
  const { contrast: distance } = soundsOf(analysis, stretches)
  const { positions, beatsPerBar } = bars
  return findSections({ positions, beatsPerBar, distance }).map(({ firstBeat, endBeat, label }) => ({
    start: (stretches[firstBeat]?.start ?? 0) / analysisRate,
    end: (stretches[endBeat - 1]?.end ?? samples) / analysisRate,
    label,
  }))
}
