import { connectNatsWorkerBus, type WorkerBus } from '@trellis/kit/bus'
import { readConfig } from '@trellis/kit/config'
import { silentLog } from '@trellis/kit/telemetry'
import { createBusHostStates } from '../marketplace/scraper/bus-host-states.ts'
import { createFileHostStates, createMemoryHostStates, type HostStates } from '../marketplace/scraper/host-states.ts'

/** Connects to the bus that an environment configures. Its modules are loaded lazily, only where there is one. */
const join = async (environment: NodeJS.ProcessEnv): Promise<WorkerBus> => {
  const { busOptions, connectionsConfig } = await import('@trellis/kit/process')
  const options = busOptions(readConfig(connectionsConfig, environment))
  return connectNatsWorkerBus({ ...options, name: 'trellis-search', log: silentLog })
}

/**
 * Where a child process shares host states: with all workers on the configured bus (NATS_URL), which its first request
 * connects to; else with the workers of its machine; else with none.
 */
export const hostStatesFor = (
  environment: NodeJS.ProcessEnv,
  { hostStatesDirectory }: { readonly hostStatesDirectory: string | undefined },
): HostStates => {
  const { NATS_URL: servers = '' } = environment
  if (servers === '')
    return hostStatesDirectory === undefined ? createMemoryHostStates() : createFileHostStates(hostStatesDirectory)
  let bus: Promise<WorkerBus> | undefined
  return createBusHostStates(() => {
    bus ??= join(environment).catch((error: unknown) => {
      bus = undefined
      throw error
    })
    return bus
  })
}
