import { connectNatsWorkerBus, type WorkerBus } from '@trellis/kit/bus'
import { readConfig } from '@trellis/kit/config'
import { silentLog } from '@trellis/kit/telemetry'
import { createBusHostStates } from '../marketplace/scraper/bus-host-states.ts'
import { createFileHostStates, createMemoryHostStates, type HostStates } from '../marketplace/scraper/host-states.ts'

/** Joins the bus that an environment tells of. What reads that is loaded for those alone that are told. */
const join = async (environment: NodeJS.ProcessEnv): Promise<WorkerBus> => {
  const { busOptions, connectionsConfig } = await import('@trellis/kit/process')
  const options = busOptions(readConfig(connectionsConfig, environment))
  return connectNatsWorkerBus({ ...options, name: 'trellis-search', log: silentLog })
}

/**
 * With whom a child process shares how we stand with hosts: with all workers on its bus where it is told of one (NATS_URL), which
 * it joins with its first request; else with those of its machine; else with nobody.
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
