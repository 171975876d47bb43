import { readConfig } from '@trellis/kit/config'
import { serveWork } from '@trellis/kit/workloads'
import { listingsConfig, workerConfig } from '../config.ts'
import { createAdapters } from './adapters.ts'
import { hostStatesFor } from './host-states-for.ts'
import { searchWork } from './search-work.ts'

// A worker is a separate process, whose environment its description defines (see kind.ts).
const hostStates = hostStatesFor(process.env, readConfig(workerConfig, process.env))

serveWork(searchWork(createAdapters(readConfig(listingsConfig, process.env), hostStates)))
