import { readConfig } from '@trellis/kit/config'
import { serveWork } from '@trellis/kit/workloads'
import { listingsConfig, workerConfig } from '../../config.ts'
import { createAdapters } from './adapters.ts'
import { searchWork } from './search-work.ts'
import { standingsFor } from './standings-for.ts'

// A worker is a process of its own: the environment it reads is the one its description gave it (see kind.ts).
const standings = standingsFor(process.env, readConfig(workerConfig, process.env))

serveWork(searchWork(createAdapters(readConfig(listingsConfig, process.env), standings)))
