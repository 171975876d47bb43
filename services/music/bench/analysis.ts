import { analyse } from '../src/analysis/analyse.ts'
import { analysisRate } from '../src/analysis/spectral-frames.ts'
import { soundsOf } from '../src/analysis/step-features.ts'
import { findSections } from '../src/analysis/structure.ts'
import { median } from '../src/dsp/statistics.ts'
import { beatFMeasure, boundaryFMeasure, keyScore, tempoAccuracy } from '../test/beat-metrics.ts'
import {
  type Metre,
  type Pace,
  type PieceScore,
  playPiece,
  type SyntheticPiece,
  stylesOf,
} from '../test/synthetic-pieces.ts'

/** How well the analysis of one piece of known beats, bars, key and sections did. */
export type AnalysisFigures = {
  readonly score: PieceScore
  readonly bpm: number | null
  readonly metre: Metre
  readonly beats: number
  readonly downbeats: number
  readonly isTempoExact: boolean
  readonly isTempoRight: boolean
  readonly key: number
  /** Boundaries of sections within half a second and within three seconds. */
  readonly sections: readonly [number, number]
  /** Median delay of the beats that were found (ms). */
  readonly lateMs: number
  /** Probabilities of the beats that are right, and of those that are wrong. */
  readonly likelyRight: readonly number[]
  readonly likelyWrong: readonly number[]
  /** CPU time over the length of the piece. */
  readonly cpuShare: number
}

const tempiOf: Record<Metre, readonly number[]> = {
  '4/4': [60, 72, 90, 110, 128, 150, 174, 200],
  '3/4': [60, 78, 96, 120, 144, 170, 200],
  '6/8': [60, 72, 90, 110, 132],
}

/** Scores of all metres and styles, at the tempi in which they are played; of each pair of metre and style every `stride`th tempo. */
export const benchScores = (seed: number, { stride = 1, pace = 'steady' as Pace, seconds = 30 } = {}): PieceScore[] =>
  (['4/4', '3/4', '6/8'] as const).flatMap((metre) =>
    stylesOf[metre].flatMap((style, turn) =>
      tempiOf[metre]
        .filter((_, index) => (index + turn) % stride === 0)
        .map((bpm) => ({ metre, style, bpm, pace, seconds, seed })),
    ),
  )

/** Analyses a piece and compares the result with what was played. */
export const judgeAnalysis = ({ score, samples, ...truth }: SyntheticPiece): AnalysisFigures => {
  const began = process.cpuUsage()
  const found = analyse(samples)
  const { user } = process.cpuUsage(began)
  const seconds = found.beats.map((beat) => beat / analysisRate)
  const downbeats = seconds.filter((_, i) => found.bars.positions[i] === 0)
  const misses = seconds.map((time) =>
    truth.beats.reduce((nearest, beat) => (Math.abs(time - beat) < Math.abs(nearest) ? time - beat : nearest), 1),
  )
  const { exact, octave } = tempoAccuracy(score.bpm, found.bpm)
  const probabilities = found.likely()
  const likely = (isRight: boolean) => probabilities.filter((_, i) => Math.abs(misses[i] ?? 1) <= 0.07 === isRight)
  const { positions, beatsPerBar } = found.bars
  const stretches = found.beats.map((start, i) => ({ start, end: found.beats[i + 1] ?? found.samples }))
  const { contrast: distance } = soundsOf(found, stretches)
  const sections = findSections({ positions, beatsPerBar, distance }).map(({ firstBeat }) => seconds[firstBeat] ?? 0)
  return {
    score,
    bpm: found.bpm,
    metre: found.bars.metre,
    beats: beatFMeasure(truth.beats, seconds),
    downbeats: beatFMeasure(truth.downbeats, downbeats),
    isTempoExact: exact,
    isTempoRight: octave,
    key: keyScore(truth.key, found.key?.name ?? null),
    sections: [boundaryFMeasure(truth.sections, sections, 0.5), boundaryFMeasure(truth.sections, sections, 3)],
    lateMs: 1000 * median(misses.filter((miss) => Math.abs(miss) <= 0.07)),
    likelyRight: likely(true),
    likelyWrong: likely(false),
    cpuShare: user / 1e6 / (samples.length / analysisRate),
  }
}

/** Plays and judges pieces one after the other. */
export const judgeAll = (scores: readonly PieceScore[]): AnalysisFigures[] =>
  scores.map((score) => judgeAnalysis(playPiece(score)))
