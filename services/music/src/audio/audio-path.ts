import { type Block, joinBlocks } from './pcm.ts'
import type { StoredAudio } from './stored-audio.ts'

/** Concatenates pieces of the same shape. */
export const concatenateAudio = (pieces: readonly StoredAudio[]): StoredAudio => {
  const [first] = pieces
  if (!first) throw new Error('There are no pieces to concatenate')
  if (pieces.some((piece) => piece.sampleRate !== first.sampleRate || piece.channels !== first.channels)) {
    throw new Error('Pieces of different shapes cannot be concatenated')
  }
  const starts: number[] = []
  let frames = 0
  for (const piece of pieces) {
    starts.push(frames)
    frames += piece.frames
  }
  return {
    sampleRate: first.sampleRate,
    channels: first.channels,
    frames,
    async read(start, count) {
      const [from, to] = [Math.max(0, start), Math.min(frames, start + count)]
      const blocks: Block[] = []
      for (const [index, piece] of pieces.entries()) {
        const offset = starts[index] ?? 0
        const [pieceFrom, pieceTo] = [Math.max(from, offset), Math.min(to, offset + piece.frames)]
        if (pieceFrom < pieceTo) blocks.push(await piece.read(pieceFrom - offset, pieceTo - pieceFrom))
      }
      return joinBlocks(blocks, first.channels)
    },
  }
}

/** The last `frames` frames of a piece. */
export const tailOf = (audio: StoredAudio, frames: number): StoredAudio => {
  const length = Math.min(frames, audio.frames)
  const offset = audio.frames - length
  return {
    sampleRate: audio.sampleRate,
    channels: audio.channels,
    frames: length,
    read: (start, count) => {
      const from = Math.max(0, start)
      return audio.read(offset + from, Math.max(0, Math.min(count, length - from)))
    },
  }
}

/** Samples in memory, as a piece. */
export const audioInMemory = (block: Block, sampleRate: number): StoredAudio => ({
  sampleRate,
  channels: block.length,
  frames: block[0]?.length ?? 0,
  read: async (start, count) => block.map((channel) => channel.slice(Math.max(0, start), Math.max(0, start + count))),
})
