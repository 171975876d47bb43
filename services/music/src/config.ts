import { read, secret, setting } from '@trellis/kit/config'
import { type FilesLocation, readLocation } from '@trellis/kit/files'

const databaseFile = (text: string): string => {
  if (text.endsWith('.db')) return text
  throw new Error('must be a path that ends in .db')
}

/** What the music service is told. */
export const musicConfig = {
  databasePath: setting(
    'MUSIC_DB_PATH',
    read.optional(databaseFile),
    undefined,
    'Where the chains are kept; music.db in the data directory unless set.',
  ),
  mockGenerator: setting('MUSIC_GENERATOR_MOCK', read.flag, false, 'Generates a test tune in place of music.'),
  maxUploadMegabytes: setting('MUSIC_MAX_UPLOAD_MB', read.integer(1, 4096), 200, 'Largest upload.'),
  maxSeconds: setting('MUSIC_MAX_SECONDS', read.integer(1, 7200), 1200, 'Longest upload.'),
  maxNodes: setting('MUSIC_MAX_NODES', read.integer(2, 10_000), 500, 'Most nodes of a chain.'),
  userMegabytes: setting(
    'MUSIC_USER_MB',
    read.integer(1, 10_000_000),
    4_000,
    'Audio of one user, as it is stored (24 bits a sample), in cloud mode; beyond it is 413.',
  ),
  userChains: setting('MUSIC_USER_CHAINS', read.integer(1, 100_000), 100, 'Chains of one user, in cloud mode.'),
  userGenerations: setting(
    'MUSIC_USER_GENERATIONS',
    read.integer(4, 1_000),
    32,
    'Generations of one user that may wait or run at once; more are 429.',
  ),
  userExports: setting(
    'MUSIC_USER_EXPORTS',
    read.integer(1, 50),
    4,
    'Files that one replica writes at once for one user to download; more are 429.',
  ),
  exportHours: setting(
    'MUSIC_EXPORT_HOURS',
    read.integer(1, 8_760),
    24,
    'Files written to be downloaded are deleted after so many hours; a later request writes them again.',
  ),
  workerMegabytes: setting(
    'MUSIC_WORKER_MEMORY_MB',
    read.integer(256, 65_536),
    2_048,
    'Physical memory that one worker on this machine may take, before it is killed (on Linux).',
  ),
  workers: setting('MUSIC_WORKERS', read.integer(1, 64), 2, 'Generations that run at once on this machine.'),
}

/** What a worker is told, by the process that starts it. */
export const workerConfig = {
  files: secret<FilesLocation>(
    'TRELLIS_FILES',
    readLocation,
    { kind: 'directory', path: './data/files' },
    'Where the files lie, as JSON.',
  ),
}

export type MusicConfig = { readonly [Name in keyof typeof musicConfig]: (typeof musicConfig)[Name]['fallback'] }
