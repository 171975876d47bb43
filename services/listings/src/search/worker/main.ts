import { readConfig } from '@trellis/kit/config'
import { serveWork } from '@trellis/kit/workloads'
import { listingsConfig, workerConfig } from '../../config.ts'
import { createAdapters } from './adapters.ts'
import { decodeInput } from './messages.ts'
import { performWork } from './work.ts'

// A worker is a process of its own: the environment it reads is the one its description gave it (see kind.ts).
const adapterOf = createAdapters(
  readConfig(listingsConfig, process.env),
  readConfig(workerConfig, process.env).standingsDirectory,
)

serveWork(async ({ input, output, progress, signal }) => {
  await performWork(decodeInput(input), { adapterOf, output, progress, signal })
  return new Uint8Array()
})
