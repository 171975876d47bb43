import { serviceError } from '@trellis/kit/errors'
import { AudioResult, type SeparateTask } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { stemFile } from '../audio/files-layout.ts'
import { createExactStems } from '../stems/exact-stems.ts'
import { readStemModel } from '../stems/model/model-folder.ts'
import { separateByModel } from '../stems/model/separate-by-model.ts'
import { separateBlind } from '../stems/separate-blind.ts'
import type { Separator } from '../stems/separator.ts'
import { splitParts } from '../stems/split-parts.ts'
import { stemNames } from '../stems/stem-names.ts'
import { openPiece, type TaskDependencies } from './pieces.ts'
import { readableModel } from './readable-model.ts'

const separatorFor = async (model: string | undefined): Promise<Separator> =>
  model === undefined ? separateBlind : separateByModel(await readStemModel(model))

const separate = async (task: SeparateTask, dependencies: TaskDependencies): Promise<AudioResult> => {
  if (!task.piece) throw serviceError('malformed', 'The worker received no piece to separate.')
  const { files, progress } = dependencies
  const audio = await openPiece(dependencies, task.piece)
  const separator = await separatorFor(task.model ?? undefined)
  // A failed write stops the separation and the other writes.
  const failing = new AbortController()
  const signal = AbortSignal.any([dependencies.signal, failing.signal])
  const stems = createExactStems(audio)
  const parts = splitParts(stems.encoded(separator(audio, { signal, onProgress: progress })), stemNames.length)
  const write = async (part: AsyncIterable<Uint8Array>, index: number): Promise<void> => {
    try {
      await files.write(stemFile(task.folder, stemNames[index] ?? ''), part, signal)
    } catch (error) {
      failing.abort(error)
      throw error
    }
  }
  const written = await Promise.allSettled(parts.map(write))
  for (const outcome of written) if (outcome.status === 'rejected') throw failing.signal.reason ?? outcome.reason
  const { sampleRate, channels, frames } = audio
  return AudioResult.fromPartial({ sampleRate, channels, frames, energyShares: stems.energyShares() })
}

/** Separates a piece into files of stored samples, one per stem, which sum to the piece. */
export const separateAudio = async (task: SeparateTask, dependencies: TaskDependencies): Promise<AudioResult> => {
  try {
    return await separate(task, dependencies)
  } catch (error) {
    throw readableModel(error, 'MUSIC_STEMS_MODEL')
  }
}
