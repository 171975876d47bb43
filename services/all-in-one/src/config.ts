import { branchEnvironment, localBranchesConfig } from '@trellis/branch'
import { checkEdgeConfig, edgeConfig } from '@trellis/edge'
import { baseConfig, readConfig } from '@trellis/kit/config'
import { configPart, databaseConfig, storeLocation } from '@trellis/kit/process'
import { listingsConfig } from '@trellis/listings'
import { logsConfig } from '@trellis/logs'
import { musicConfig } from '@trellis/music'

/** Reads what every part is told. Throws ConfigFailure, with one line that names the wrong variable. */
export const readAllConfig = (environment: NodeJS.ProcessEnv) => {
  const config = {
    base: readConfig(baseConfig, environment),
    database: readConfig(databaseConfig, environment),
    edge: readConfig(edgeConfig, environment),
    listings: readConfig(listingsConfig, environment),
    logs: readConfig(logsConfig, environment),
    music: readConfig(musicConfig, environment),
    branches: { ...readConfig(localBranchesConfig, environment), environment: branchEnvironment(environment) },
  }
  checkEdgeConfig(config.edge)
  return { ...config, store: storeLocation(config.database, config.base.dataDirectory) }
}

export type AllConfig = ReturnType<typeof readAllConfig>

/** What each part is told, for showing. */
export const configParts = (config: AllConfig) => [
  configPart('every process', baseConfig, config.base),
  configPart('the database', databaseConfig, config.database),
  configPart('edge', edgeConfig, config.edge),
  configPart('listings', listingsConfig, config.listings),
  configPart('logs', logsConfig, config.logs),
  configPart('music', musicConfig, config.music),
  configPart('branches', localBranchesConfig, config.branches),
]
