import type { WorkerKind } from '@trellis/kit/workloads'
import { type ListingsConfig, listingsConfig } from '../../config.ts'

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
] as const

/**
 * How search workers are started. Each paces itself, so each gets its share of the pace: together they send no more
 * requests than one would.
 */
export const searchWorker = (config: ListingsConfig): WorkerKind => {
  const given = told.flatMap((name) =>
    config[name] === undefined ? [] : [[listingsConfig[name].variable, String(config[name])] as const],
  )
  return {
    module: new URL('./main.ts', import.meta.url),
    environment: {
      ...Object.fromEntries(given),
      [listingsConfig.gapMilliseconds.variable]: String(Math.min(60_000, config.gapMilliseconds * config.workers)),
    },
    concurrency: config.workers,
    warm: 1,
    idleMilliseconds: 60_000,
    runsPerWorker: 200,
    memoryMegabytes: 256,
  }
}
