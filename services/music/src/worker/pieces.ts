import { serviceError } from '@trellis/kit/errors'
import type { Files } from '@trellis/kit/files'
import type { StoredPiece } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import type { PathPiece } from '../analysis/path-features.ts'
import { maxPulseBytes, type StoredPulses, storedPulses } from '../analysis/pulse-file.ts'
import type { ByteSource } from '../audio/byte-source.ts'
import { nodeFile } from '../audio/files-layout.ts'
import { openStoredAudio, type StoredAudio } from '../audio/stored-audio.ts'
import type { ModelCache } from '../generate/model/model-cache.ts'

/** Dependencies of tasks. */
export type TaskDependencies = {
  readonly files: Files
  readonly models: ModelCache
  readonly progress: (share: number) => void
  readonly signal: AbortSignal
}

export const byteSource = async (files: Files, key: string): Promise<ByteSource> => {
  const info = await files.stat(key)
  if (!info) throw serviceError('not_found', 'The requested audio no longer exists.')
  return { size: info.size, read: (offset, length) => files.readRange(key, { start: offset, end: offset + length }) }
}

/** Stored samples: those of a node, unless the piece names other ones. */
export const openPiece = async ({ files }: TaskDependencies, piece: StoredPiece): Promise<StoredAudio> =>
  openStoredAudio(await byteSource(files, piece.key ?? nodeFile(piece.nodeId, 'samples')), piece)

export const openPath = async (
  dependencies: TaskDependencies,
  pieces: readonly StoredPiece[],
): Promise<StoredAudio[]> => Promise.all(pieces.map((piece) => openPiece(dependencies, piece)))

/** A node's audio, with its stored features. */
export const openPathPiece = async (dependencies: TaskDependencies, piece: StoredPiece): Promise<PathPiece> => ({
  audio: await openPiece(dependencies, piece),
  stored: async () => {
    const key = nodeFile(piece.nodeId, 'features')
    const info = await dependencies.files.stat(key)
    return info && dependencies.files.readRange(key, { start: 0, end: info.size })
  },
})

/** The pulses in the folders of some nodes: one of them may be that of the audio to analyse. */
export const openPulses = async ({ files }: TaskDependencies, nodeIds: readonly string[]): Promise<StoredPulses> => {
  const found = await Promise.all(
    nodeIds.map(async (nodeId) => {
      const key = nodeFile(nodeId, 'pulse')
      const info = await files.stat(key)
      return info && info.size <= maxPulseBytes ? files.readRange(key, { start: 0, end: info.size }) : undefined
    }),
  )
  return storedPulses(found.filter((file) => file !== undefined))
}

/** Stores the pulse that was found for a node, if there was need of one. */
export const storePulse = async (
  { files, signal }: TaskDependencies,
  nodeId: string,
  pulses: StoredPulses,
): Promise<void> => {
  const encoded = pulses.encoded()
  if (encoded) await files.write(nodeFile(nodeId, 'pulse'), encoded, signal)
}
