import { concatenateAudio } from '../audio/audio-path.ts'
import type { StoredAudio } from '../audio/stored-audio.ts'
import { type Features, joinFeatures, measureFeatures, settledParts, sliceFeatures } from './features.ts'
import { decodeFeatures, encodeFeatures } from './features-file.ts'
import { type MonoPiece, monoPieceOf, monoSamples } from './mono-piece.ts'

/** A piece of a path, and its features if they were stored when it was created. */
export type PathPiece = {
  readonly audio: StoredAudio
  /** The file; undefined if there is none. */
  readonly stored: () => Promise<Uint8Array | undefined>
}

/** The parts that a piece settles: those up to its end that its predecessors left open. */
const partsOf = (pieces: readonly PathPiece[], index: number): { from: number; to: number } => {
  const settled = (count: number) => {
    const frames = pieces.slice(0, count).reduce((sum, { audio }) => sum + audio.frames, 0)
    return settledParts(monoSamples(frames, pieces[0]?.audio.sampleRate ?? 1))
  }
  return { from: settled(index), to: settled(index + 1) }
}

/**
 * Features of a path from a part to its end. Stored features of its pieces are read, all others are measured; the result is
 * the same.
 */
export const featuresOfPath = async (
  pieces: readonly PathPiece[],
  mono: MonoPiece,
  startPart: number,
  signal?: AbortSignal,
): Promise<Features> => {
  const found: Features[] = []
  let next = startPart
  for (const [index, piece] of pieces.entries()) {
    const { from, to } = partsOf(pieces, index)
    if (to <= next) continue
    const file = await piece.stored()
    const stored = file && decodeFeatures(file)
    const isRight = stored?.firstPart === from && stored.parts === to - from
    found.push(isRight ? sliceFeatures(stored.features, next - from) : await measureFeatures(mono, next, to, signal))
    next = to
  }
  found.push(await measureFeatures(mono, next, undefined, signal))
  return joinFeatures(found)
}

/** The encoded features to store for the last piece of a path. */
export const featuresToStore = async (pieces: readonly PathPiece[], signal?: AbortSignal): Promise<Uint8Array> => {
  const { from, to } = partsOf(pieces, pieces.length - 1)
  const mono = monoPieceOf(concatenateAudio(pieces.map(({ audio }) => audio)))
  return encodeFeatures(from, await measureFeatures(mono, from, to, signal))
}
