import { serviceError } from '@trellis/kit/errors'
import { type AnalyseTask, AudioResult } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { analyseSound } from '../analysis/analyse.ts'
import { soundOf } from '../analysis/features.ts'
import { monoPieceOf } from '../analysis/mono-piece.ts'
import { featuresOfPath } from '../analysis/path-features.ts'
import { sectionsOfPiece } from '../analysis/piece-sections.ts'
import { analysisRate } from '../analysis/spectral-frames.ts'
import { openPathPiece, openPulses, type TaskDependencies } from './pieces.ts'

/** Finds tempo, key, beats, bars and sections of a piece, from its stored features if there are any. */
export const analyseAudio = async ({ piece }: AnalyseTask, dependencies: TaskDependencies): Promise<AudioResult> => {
  if (!piece) throw serviceError('malformed', 'The worker received no piece to analyse.')
  const path = await openPathPiece(dependencies, piece)
  const mono = monoPieceOf(path.audio)
  const features = await featuresOfPath([path], mono, 0, dependencies.signal)
  const pulses = await openPulses(dependencies, [piece.nodeId])
  const analysis = analyseSound(soundOf(features, mono.samples), pulses.find)
  const { beats, bars, bpm, key } = analysis
  const hasPulse = bpm !== null
  const seconds = beats.map((beat) => beat / analysisRate)
  const { sampleRate, channels, frames } = path.audio
  return AudioResult.fromPartial({
    sampleRate,
    channels,
    frames,
    bpm,
    key: key?.name ?? null,
    keyConfidence: key?.confidence ?? null,
    beats: hasPulse ? seconds : [],
    downbeats: hasPulse ? seconds.filter((_, index) => bars.positions[index] === 0) : [],
    metre: hasPulse ? bars.metre : null,
    sections: hasPulse ? sectionsOfPiece(analysis) : [],
  })
}
