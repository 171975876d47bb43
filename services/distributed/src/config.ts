import { baseConfig, read, readConfigs, setting } from '@trellis/kit/config'
import { connectionsConfig } from '@trellis/kit/process'

/** Settings of a distributed installation on one machine, beside those of its processes. */
export const launchConfig = {
  replicas: setting('TRELLIS_REPLICAS', read.integer(1, 16), 2, 'Processes of the edge and of each service.'),
}

/** Reads the configuration of the launcher. Throws ConfigError. */
export const readLaunchConfig = (environment: NodeJS.ProcessEnv) =>
  readConfigs({ base: baseConfig, connections: connectionsConfig, launch: launchConfig }, environment)

export type LaunchConfig = ReturnType<typeof readLaunchConfig>
