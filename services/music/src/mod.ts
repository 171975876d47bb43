export { type MusicConfig, modelRuntimeConfig, musicConfig } from './config.ts'
export { musicSchema } from './schemas.ts'
export { createMusicService, type MusicService, type MusicServiceOptions } from './service.ts'
export { generationWorker } from './worker/environment.ts'
