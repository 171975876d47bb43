import { emptyCounts, read, secret, setting } from '@trellis/kit/config'
import { type FilesLocation, readLocation } from '@trellis/kit/files'
import { deviceChoices } from './onnx/devices.ts'

const databaseFile = (text: string): string => {
  if (!text.endsWith('/')) return text
  throw new Error('must be the path of a file')
}

/** What workers need to know of the machine that they run models on. */
export const modelRuntimeConfig = {
  modelDevice: setting(
    'MUSIC_MODEL_DEVICE',
    read.oneOf(...deviceChoices),
    'auto',
    'What the model of MUSIC_MODEL runs on: auto (a GPU of NVIDIA if there is one that can be used, else the CPU), cpu or cuda.',
  ),
  libraryPath: setting(
    'LD_LIBRARY_PATH',
    read.optional(read.text),
    undefined,
    'Folders of shared libraries, passed on to workers: where CUDA and cuDNN are, if a model runs on a GPU.',
  ),
  visibleGpus: emptyCounts(
    setting(
      'CUDA_VISIBLE_DEVICES',
      read.optional(read.text),
      undefined,
      'GPUs that a model may use, passed on to workers; empty: none; unset: all.',
    ),
  ),
  tf32Override: setting(
    'NVIDIA_TF32_OVERRIDE',
    read.optional(read.text),
    undefined,
    'Precision of 32-bit floats on a GPU, passed on to workers: 0: full, so that results are nearest to those of a CPU; unset: reduced (TF32).',
  ),
}

/** Settings of the music service. */
export const musicConfig = {
  databasePath: setting(
    'MUSIC_DB_PATH',
    read.optional(databaseFile),
    undefined,
    'Path of the database file of chains; unset: music.db in the data directory.',
  ),
  mockGenerator: setting('MUSIC_GENERATOR_MOCK', read.flag, false, 'Generates a test tune instead of music.'),
  maxUploadMegabytes: setting('MUSIC_MAX_UPLOAD_MB', read.integer(1, 4096), 200, 'Maximum size of an upload.'),
  maxSeconds: setting('MUSIC_MAX_SECONDS', read.integer(1, 7200), 1200, 'Maximum duration of an upload.'),
  maxNodes: setting('MUSIC_MAX_NODES', read.integer(2, 10_000), 500, 'Maximum nodes of a chain.'),
  userMegabytes: setting(
    'MUSIC_USER_MB',
    read.integer(1, 10_000_000),
    4_000,
    'Maximum stored audio of one user (24 bits a sample), in cloud mode; more gets 413.',
  ),
  userChains: setting('MUSIC_USER_CHAINS', read.integer(1, 100_000), 100, 'Maximum chains of one user, in cloud mode.'),
  userGenerations: setting(
    'MUSIC_USER_GENERATIONS',
    read.integer(4, 1_000),
    32,
    'Maximum waiting and running generations of one user; more get 429.',
  ),
  userExports: setting(
    'MUSIC_USER_EXPORTS',
    read.integer(1, 50),
    4,
    'Maximum downloads that one replica writes concurrently for one user; more get 429.',
  ),
  userSeparations: setting(
    'MUSIC_USER_SEPARATIONS',
    read.integer(1, 1_000),
    8,
    'Maximum nodes of one user that wait for their stems, or whose stems are being made; more get 429.',
  ),
  separations: setting(
    'MUSIC_SEPARATIONS',
    read.integer(1, 16),
    1,
    'Maximum nodes that one replica separates into stems concurrently.',
  ),
  stemsModel: setting(
    'MUSIC_STEMS_MODEL',
    read.optional(read.text),
    undefined,
    'Folder of an ONNX model that separates stems (model.onnx, and stems.json if its stems are not drums, bass, other, vocals); unset: stems are separated without a model.',
  ),
  model: setting(
    'MUSIC_MODEL',
    read.optional(read.text),
    undefined,
    'Folder of an ONNX model that generates continuations, described by its model.json; unset: pieces are continued from their own material.',
  ),
  ...modelRuntimeConfig,
  exportHours: setting(
    'MUSIC_EXPORT_HOURS',
    read.integer(1, 8_760),
    24,
    'Hours until files for download are deleted; a later request writes them again.',
  ),
  workerMegabytes: setting(
    'MUSIC_WORKER_MEMORY_MB',
    read.integer(256, 65_536),
    2_048,
    'Maximum physical memory of a worker on this machine; beyond it the worker is killed (on Linux).',
  ),
  workers: setting('MUSIC_WORKERS', read.integer(1, 64), 2, 'Maximum concurrent generations on this machine.'),
}

/** Settings that a worker receives from the process that starts it. */
export const workerConfig = {
  files: secret<FilesLocation>(
    'TRELLIS_FILES',
    readLocation,
    { kind: 'directory', path: './data/files' },
    'Location of the files, as JSON.',
  ),
  modelDevice: modelRuntimeConfig.modelDevice,
}

export type MusicConfig = { readonly [Name in keyof typeof musicConfig]: (typeof musicConfig)[Name]['fallback'] }
