import { branchEnvironment, localBranchesConfig } from '@trellis/branch'
import { checkEdgeConfig, edgeConfig } from '@trellis/edge'
import { baseConfig, filesNamedIn, readConfigs } from '@trellis/kit/config'
import { configPart, databaseConfig, storeLocation } from '@trellis/kit/process'
import { browserSettings, listingsConfig } from '@trellis/listings'
import { logsConfig, logsSchemas } from '@trellis/logs'
import { musicConfig } from '@trellis/music'

/** Reads the configuration of all parts. Throws ConfigError, with a line for each wrong variable. */
export const readAllConfig = (environment: NodeJS.ProcessEnv) => {
  const config = readConfigs(
    {
      base: baseConfig,
      database: databaseConfig,
      edge: edgeConfig,
      listings: listingsConfig,
      logs: logsConfig,
      music: musicConfig,
      branches: localBranchesConfig,
    },
    environment,
    ({ base, database, edge, listings, logs }) => ({
      edgeCheck: () => checkEdgeConfig(edge),
      store: () => storeLocation(database, base.dataDirectory),
      browser: () => browserSettings(listings),
      schemas: () => logsSchemas(logs, storeLocation(database, base.dataDirectory)),
    }),
  )
  return {
    ...config,
    branches: { ...config.branches, environment: branchEnvironment(environment) },
    secretFiles: filesNamedIn(environment),
  }
}

export type AllConfig = ReturnType<typeof readAllConfig>

/** The configuration of all parts, for display. */
export const configParts = (config: AllConfig) => [
  configPart('every process', baseConfig, config.base),
  configPart('database', databaseConfig, config.database),
  configPart('edge', edgeConfig, config.edge),
  configPart('listings', listingsConfig, config.listings),
  configPart('logs', logsConfig, config.logs),
  configPart('music', musicConfig, config.music),
  configPart('branches', localBranchesConfig, config.branches),
]
