import { runService } from '@trellis/kit/process/service'
import { createLocalWorkloads } from '@trellis/kit/workloads'
import { listingsConfig, searchWorker } from '@trellis/listings'
import { generationWorker, musicConfig } from '@trellis/music'

/** The local runtime as a process of its own: it stands in for the operator where there is no cluster. */
await runService({
  name: 'workloads',
  config: { ...listingsConfig, musicWorkers: musicConfig.workers },
  create: async (config, { bus, log, filesLocation }) =>
    createLocalWorkloads({
      bus,
      log,
      kinds: {
        WORKLOAD_SEARCH: searchWorker(config),
        WORKLOAD_GENERATION: generationWorker({ files: filesLocation, workers: config.musicWorkers }),
      },
    }),
  environment: process.env,
  words: process.argv.slice(2),
})
