import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WorkerKind } from '@trellis/kit/workloads'
import { browserSettings, type ListingsConfig, listingsConfig, workerConfig } from '../config.ts'

/** Settings that a worker receives; it sees nothing else of the environment. */
const passed = [
  'platform',
  'environment',
  'appId',
  'certId',
  'clientId',
  'clientSecret',
  'sandboxAppId',
  'sandboxCertId',
  'siteId',
  'profileUrl',
  'currency',
  'userAgent',
  'gapMilliseconds',
  'render',
  'chromium',
  'chromiumSandbox',
] as const

const workerKind = (
  config: ListingsConfig,
  shared: Readonly<Record<string, string>>,
  hostStatesDirectory: string,
): WorkerKind => ({
  module: new URL('./main.ts', import.meta.url),
  environment: {
    ...Object.fromEntries(
      passed.flatMap((name) =>
        config[name] === undefined ? [] : [[listingsConfig[name].variable, String(config[name])]],
      ),
    ),
    [workerConfig.hostStatesDirectory.variable]: hostStatesDirectory,
    ...shared,
  },
  concurrency: config.workers,
  warm: 1,
  idleMilliseconds: 60_000,
  runsPerWorker: 200,
  memoryMegabytes: 256,
  residentMegabytes: config.workerMegabytes,
  treeMegabytes: config.workerMegabytes + config.browserMegabytes,
  cleanUpShared: () => rm(hostStatesDirectory, { recursive: true, force: true }),
})

/**
 * How search workers are started. They share their rate limit: together they send no more requests than one would. `shared`
 * has the variables that configure a bus, if they share it with workers on other machines.
 */
export const searchWorker = (config: ListingsConfig, shared: Readonly<Record<string, string>> = {}): WorkerKind => {
  // Workers start later and elsewhere: a missing browser is reported here, at the start.
  browserSettings(config)
  return workerKind(config, shared, join(tmpdir(), `trellis-listings-${randomUUID()}`))
}
