import { join } from 'node:path'
import { readConfig } from '@trellis/kit/config'
import { failure } from '@trellis/kit/errors'
import { openDirectoryFiles } from '@trellis/kit/files'
import { serveWork } from '@trellis/kit/workloads'
import { AudioResult, AudioTask } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { AudioRefused, refusalStatus } from '../audio/refusal.ts'
import { workerConfig } from '../config.ts'
import { continueAudio, exportAudio, ingest, type TaskWorld } from './tasks.ts'

const { filesDirectory } = readConfig(workerConfig, process.env)

const perform = async ({ task }: AudioTask, world: TaskWorld): Promise<AudioResult> => {
  switch (task?.$case) {
    case 'ingest':
      return ingest(task.value, world)
    case 'continue':
      return continueAudio(task.value, world)
    case 'export':
      return exportAudio(task.value, world)
    default:
      throw failure('malformed', 'The worker was given nothing to do.')
  }
}

/** What is wrong with the audio is for its sender to read. */
const readable = (error: unknown): unknown =>
  error instanceof AudioRefused
    ? failure(refusalStatus[error.reason] === 415 ? 'unsupported_media' : 'invalid', error.message, { cause: error })
    : error

serveWork(async ({ input, progress, signal }) => {
  const world: TaskWorld = {
    // A folder at a time: opening the port clears what was left half-written in its root, which other workers may be
    // writing to. A folder has one writer.
    filesIn: (folder) => openDirectoryFiles(join(filesDirectory, folder)),
    progress,
    signal,
  }
  try {
    return AudioResult.encode(await perform(AudioTask.decode(input), world)).finish()
  } catch (error) {
    throw readable(error)
  }
})
