import { join } from 'node:path'
import { branchEnvironment, createLocalBranches, localBranchesConfig } from '@trellis/branch'
import { runService } from '@trellis/kit/process/service'
import { createLocalWorkloads, measureWorkloads } from '@trellis/kit/workloads'
import { listingsConfig, searchWorker } from '@trellis/listings'
import { generationWorker, modelRuntimeConfig, musicConfig } from '@trellis/music'

/** Runs the local runtime as a separate process, which replaces the operator where there is no cluster. */
await runService({
  name: 'workloads',
  config: {
    ...listingsConfig,
    branchPort: localBranchesConfig.basePort,
    branchLimit: localBranchesConfig.limit,
    musicWorkers: musicConfig.workers,
    musicWorkerMegabytes: musicConfig.workerMegabytes,
    ...modelRuntimeConfig,
  },
  create: async (config, { bus, log, metrics, workerFilesLocation, dataDirectory }) => {
    await using opened = new AsyncDisposableStack()
    const workloads = opened.use(
      createLocalWorkloads({
        bus,
        log,
        kinds: {
          WORKLOAD_SEARCH: searchWorker(config),
          WORKLOAD_GENERATION: generationWorker({
            files: workerFilesLocation,
            workers: config.musicWorkers,
            memoryMegabytes: config.musicWorkerMegabytes,
            modelRuntime: config,
          }),
        },
      }),
    )
    measureWorkloads(metrics, workloads.counts)
    const branches = opened.use(
      await createLocalBranches({
        directory: join(dataDirectory, 'branches'),
        basePort: config.branchPort,
        limit: config.branchLimit,
        environment: branchEnvironment(process.env),
        onLine: (_slug, line) => void process.stdout.write(`${line}\n`),
        log,
      }),
    )
    const stack = opened.move()
    return {
      implementations: [...workloads.implementations, ...branches.implementations],
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  },
  environment: process.env,
  words: process.argv.slice(2),
})
