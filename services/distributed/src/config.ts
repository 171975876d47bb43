import { baseConfig, read, readConfigs, setting } from '@trellis/kit/config'
import { connectionsConfig } from '@trellis/kit/process'

/** What a distributed installation on one machine is told, beside what its processes are. */
export const launchConfig = {
  replicas: setting('TRELLIS_REPLICAS', read.integer(1, 16), 2, 'Processes of the edge and of each service.'),
}

/** Reads what the launcher is told. Throws ConfigFailure. */
export const readLaunchConfig = (environment: NodeJS.ProcessEnv) =>
  readConfigs({ base: baseConfig, connections: connectionsConfig, launch: launchConfig }, environment)

export type LaunchConfig = ReturnType<typeof readLaunchConfig>
