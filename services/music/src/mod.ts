export { musicSchema } from './chains/migrations.ts'
export { type MusicConfig, musicConfig } from './config.ts'
export { createMusicService, type MusicService, type MusicServiceOptions } from './service.ts'
export { generationWorker } from './worker/environment.ts'
