export { type MusicConfig, musicConfig } from './config.ts'
export { createMusicService, type MusicService, type MusicServiceOptions } from './service.ts'
export { musicSchema } from './store/migrations.ts'
export { generationWorker } from './worker/environment.ts'
