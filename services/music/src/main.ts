import { runService } from '@trellis/kit/process/service'
import { musicConfig } from './config.ts'
import { musicSchema } from './schemas.ts'
import { createMusicService } from './service.ts'
import { generationWorker } from './worker/environment.ts'

await runService({
  ...musicSchema,
  config: musicConfig,
  create: async (config, ports) =>
    createMusicService({
      config,
      ...ports,
      files: await ports.openFiles(),
      localWorker: generationWorker({
        files: ports.workerFilesLocation,
        workers: config.workers,
        memoryMegabytes: config.workerMegabytes,
        modelRuntime: config,
      }),
    }),
  environment: process.env,
  words: process.argv.slice(2),
})
