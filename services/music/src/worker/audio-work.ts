import { serviceError } from '@trellis/kit/errors'
import { type Files, type FilesLocation, openFiles } from '@trellis/kit/files'
import type { Work } from '@trellis/kit/workloads'
import { AudioResult, AudioTask } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { AudioRefused, refusalStatus } from '../audio/refusal.ts'
import type { TaskDependencies } from './tasks.ts'

/** What a task needs of our code is loaded with the first one: many workers wait for theirs. */
const perform = async ({ task }: AudioTask, dependencies: TaskDependencies): Promise<AudioResult> => {
  const { continueAudio, exportAudio, ingest } = await import('./tasks.ts')
  switch (task?.$case) {
    case 'ingest':
      return ingest(task.value, dependencies)
    case 'continue':
      return continueAudio(task.value, dependencies)
    case 'export':
      return exportAudio(task.value, dependencies)
    default:
      throw serviceError('malformed', 'The worker was given nothing to do.')
  }
}

const kinds = { 413: 'too_large', 415: 'unsupported_media', 422: 'invalid' } as const

/** What is wrong with the audio is for its sender to read. */
const readable = (error: unknown): unknown =>
  error instanceof AudioRefused
    ? serviceError(kinds[refusalStatus[error.reason]], error.message, { cause: error })
    : error

/**
 * What an audio worker does with a run, wherever it runs. The files are opened with the first one, and used for all: what
 * others write there beside this process is theirs to clear.
 */
export const audioWork = (location: FilesLocation): Work => {
  let files: Promise<Files> | undefined
  const openOnce = (): Promise<Files> => {
    files ??= openFiles(location, { recover: false }).catch((error: unknown) => {
      files = undefined
      throw error
    })
    return files
  }
  return async ({ input, progress, signal }) => {
    try {
      const dependencies: TaskDependencies = { files: await openOnce(), progress, signal }
      return AudioResult.encode(await perform(AudioTask.decode(input), dependencies)).finish()
    } catch (error) {
      throw readable(error)
    }
  }
}
