import { type Analysis, analyse } from '../src/analysis/analyse.ts'
import { sectionsOfPiece } from '../src/analysis/piece-sections.ts'
import { analysisRate } from '../src/analysis/spectral-frames.ts'
import { median } from '../src/dsp/statistics.ts'
import { beatFMeasure, boundaryFMeasure, keyScore, tempoAccuracy } from '../test/beat-metrics.ts'
import { type EnsembleScore, playEnsemble } from '../test/ensemble-pieces.ts'
import { ensembleStyles } from '../test/ensemble-styles.ts'
import { type PlainScore, plainStyles, playPlain } from '../test/plain-pieces.ts'
import {
  type Metre,
  type Pace,
  type PieceScore,
  playPiece,
  type SyntheticPiece,
  stylesOf,
} from '../test/synthetic-pieces.ts'

/** How well the beats and bars of one piece were found. */
export type BeatFigures = {
  readonly score: Pick<PieceScore, 'metre' | 'bpm'> & { readonly style: string; readonly pace?: Pace }
  readonly bpm: number | null
  readonly metre: Metre
  readonly beats: number
  readonly downbeats: number
  readonly isTempoExact: boolean
  readonly isTempoRight: boolean
}

/** How well the analysis of one piece of known beats, bars, key and sections did. */
export type AnalysisFigures = BeatFigures & {
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

/** Scores of the second generator, at the tempi of the first; of each style every `stride`th tempo. */
export const ensembleScores = (
  seed: number,
  { stride = 1, pace = 'steady' as Pace, seconds = 30 } = {},
): EnsembleScore[] =>
  ensembleStyles.flatMap(({ name, metre }, turn) =>
    tempiOf[metre]
      .filter((_, index) => (index + turn) % stride === 0)
      .map((bpm) => ({ metre, style: name, bpm, pace, seconds, seed })),
  )

/** Scores of the third generator, at the tempi of the first; of each style every `stride`th tempo. */
export const plainScores = (seed: number, { stride = 1, seconds = 25 } = {}): PlainScore[] =>
  (['4/4', '3/4', '6/8'] as const).flatMap((metre) =>
    plainStyles.flatMap((style, turn) =>
      tempiOf[metre]
        .filter((_, index) => (index + turn) % stride === 0)
        .map((bpm) => ({ metre, style, bpm, seconds, seed })),
    ),
  )

type KnownBeats<Score> = {
  readonly score: Score
  readonly beats: readonly number[]
  readonly downbeats: readonly number[]
}

/** The tempo of a piece: of one whose tempo moves, the mean of what was played. */
export const tempoPlayed = ({ score, beats }: KnownBeats<BeatFigures['score']>): number =>
  score.pace === undefined || score.pace === 'steady'
    ? score.bpm
    : (60 * (beats.length - 1)) / ((beats.at(-1) ?? 0) - (beats[0] ?? 0))

const compareBeats = <Score extends BeatFigures['score']>(
  truth: KnownBeats<Score>,
  { beats, bars, bpm }: Analysis,
): BeatFigures & { score: Score } => {
  const seconds = beats.map((beat) => beat / analysisRate)
  const { exact, octave } = tempoAccuracy(tempoPlayed(truth), bpm)
  return {
    score: truth.score,
    bpm,
    metre: bars.metre,
    beats: beatFMeasure(truth.beats, seconds),
    downbeats: beatFMeasure(
      truth.downbeats,
      seconds.filter((_, i) => bars.positions[i] === 0),
    ),
    isTempoExact: exact,
    isTempoRight: octave,
  }
}

/** Plays and judges pieces of the second generator one after the other. */
export const judgeEnsembles = (scores: readonly EnsembleScore[]): BeatFigures[] =>
  scores.map((score) => {
    const piece = playEnsemble(score)
    return compareBeats(piece, analyse(piece.samples))
  })

/** Plays and judges pieces of the third generator one after the other. */
export const judgePlain = (scores: readonly PlainScore[]): BeatFigures[] =>
  scores.map((score) => {
    const piece = playPlain(score)
    return compareBeats(piece, analyse(piece.samples))
  })

/** Analyses a piece and compares the result with what was played. */
export const judgeAnalysis = (piece: SyntheticPiece): AnalysisFigures => {
  const { samples, ...truth } = piece
  const began = process.cpuUsage()
  const found = analyse(samples)
  const { user } = process.cpuUsage(began)
  const seconds = found.beats.map((beat) => beat / analysisRate)
  const misses = seconds.map((time) =>
    truth.beats.reduce((nearest, beat) => (Math.abs(time - beat) < Math.abs(nearest) ? time - beat : nearest), 1),
  )
  const probabilities = found.likely()
  const likely = (isRight: boolean) => probabilities.filter((_, i) => Math.abs(misses[i] ?? 1) <= 0.07 === isRight)
  const sections = sectionsOfPiece(found).map(({ start }) => start)
  return {
    ...compareBeats(truth, found),
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
