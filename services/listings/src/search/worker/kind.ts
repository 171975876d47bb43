import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WorkerKind } from '@trellis/kit/workloads'
import { type ListingsConfig, listingsConfig, workerConfig } from '../../config.ts'

/** Variables that a worker is told, and nothing else of the environment. */
const told = [
  'platform',
  'environment',
  'appId',
  'certId',
  'clientId',
  'clientSecret',
  'sandboxAppId',
  'sandboxCertId',
  'siteId',
  'currency',
  'userAgent',
  'gapMilliseconds',
] as const

/** Where the workers of this process share how they stand with hosts. It goes with the service. */
export const standingsDirectory = (): string => join(tmpdir(), `trellis-listings-${process.pid}`)

/** How search workers are started. They share their pace: together they send no more requests than one would. */
export const searchWorker = (config: ListingsConfig): WorkerKind => ({
  module: new URL('./main.ts', import.meta.url),
  environment: {
    ...Object.fromEntries(
      told.flatMap((name) =>
        config[name] === undefined ? [] : [[listingsConfig[name].variable, String(config[name])]],
      ),
    ),
    [workerConfig.standingsDirectory.variable]: standingsDirectory(),
  },
  concurrency: config.workers,
  warm: 1,
  idleMilliseconds: 60_000,
  runsPerWorker: 200,
  memoryMegabytes: 256,
})
