import { readConfig } from '@trellis/kit/config'
import { failure } from '@trellis/kit/errors'
import { type Files, openFiles } from '@trellis/kit/files'
import { serveWork } from '@trellis/kit/workloads'
import { AudioResult, AudioTask } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { AudioRefused, refusalStatus } from '../audio/refusal.ts'
import { workerConfig } from '../config.ts'
import { continueAudio, exportAudio, ingest, type TaskWorld } from './tasks.ts'

const config = readConfig(workerConfig, process.env)

/** Opened with the first task, and used for all: what others write there beside this process is theirs to clear. */
let files: Promise<Files> | undefined
const openOnce = (): Promise<Files> => {
  files ??= openFiles(config.files, { recover: false }).catch((error: unknown) => {
    files = undefined
    throw error
  })
  return files
}

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
  try {
    const world: TaskWorld = { files: await openOnce(), progress, signal }
    return AudioResult.encode(await perform(AudioTask.decode(input), world)).finish()
  } catch (error) {
    throw readable(error)
  }
})
