import { playEnsemble } from '../test/ensemble-pieces.ts'
import { playPlain } from '../test/plain-pieces.ts'
import { type Metre, playPiece } from '../test/synthetic-pieces.ts'
import { playTune, tuneStyles } from '../test/tempo-tunes.ts'
import { benchScores, ensembleScores, plainScores, tempoPlayed } from './analysis.ts'

/** A piece of known tempo to fit models on. */
export type TrainingPiece = {
  readonly generator: string
  readonly style: string
  readonly bpm: number
  readonly samples: Float32Array
  /** Where they are known. */
  readonly bars?: { readonly metre: Metre; readonly beats: readonly number[]; readonly downbeats: readonly number[] }
}

type Played = {
  readonly score: { readonly style: string; readonly metre: Metre; readonly bpm: number }
  readonly samples: Float32Array
  readonly beats: readonly number[]
  readonly downbeats: readonly number[]
}

const pieceOf = (generator: string, played: Played): TrainingPiece => {
  const { score, samples, beats, downbeats } = played
  const bars = { metre: score.metre, beats, downbeats }
  return { generator, style: `${generator}: ${score.style}`, bpm: tempoPlayed(played), samples, bars }
}

/** Pieces of all generators. Seeds are other than those of the benchmark and of the tests. */
export function* trainingPieces(): Generator<TrainingPiece> {
  for (const score of [
    ...benchScores(711),
    ...benchScores(723, { stride: 2, pace: 'drift' }),
    ...benchScores(723, { stride: 2, pace: 'rubato' }),
  ])
    yield pieceOf('first', playPiece(score))
  for (const score of [
    ...ensembleScores(333),
    ...ensembleScores(333, { stride: 4, pace: 'drift' }),
    ...ensembleScores(333, { stride: 3, pace: 'rubato' }),
  ])
    yield pieceOf('second', playEnsemble(score))
  for (const score of plainScores(11)) yield pieceOf('third', playPlain(score))
  for (const style of tuneStyles)
    for (const beatsPerBar of [3, 4] as const)
      for (const bpm of [60, 72, 80, 90, 96, 108, 120, 144, 160, 168, 174]) {
        const samples = playTune({ bpm, beatsPerBar, style, seconds: 16, seed: 5 })
        yield { generator: 'tunes', style: `tunes: ${style}`, bpm, samples }
      }
}
