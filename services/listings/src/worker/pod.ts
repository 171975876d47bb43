import { runWorker } from '@trellis/kit/process/worker'
import { listingsConfig } from '../config.ts'
import { createBusHostStates } from '../marketplace/scraper/bus-host-states.ts'
import { createAdapters } from './adapters.ts'
import { searchWork } from './search-work.ts'

/** A search worker in a pod. All such workers together request a site as one would. */
await runWorker({
  name: 'search-worker',
  kind: 'search',
  config: listingsConfig,
  open: (config, { bus }) =>
    searchWork(
      createAdapters(
        config,
        createBusHostStates(async () => bus),
      ),
    ),
  environment: process.env,
  words: process.argv.slice(2),
})
