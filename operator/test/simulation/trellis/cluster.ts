import type { Simulation } from '../mod.ts'
import { runWorker } from './run-worker.ts'
import { runService } from './service.ts'
import { calmBus, createSimulatedBus, stormyBus } from './simulated-bus.ts'
import { gpuNode } from './simulated-gpus.ts'
import { calmJobs, runJobs, stormyJobs } from './simulated-jobs.ts'
import { calmNodes, runNodes, stormyNodes } from './simulated-nodes.ts'
import { createOperators, type OperatorsOptions } from './simulated-operator.ts'
import { calmCalls, createCalls, stormyCalls } from './simulated-rpc.ts'
import { createWorkLog } from './work-log.ts'

/** A cluster with everything that takes part in runs: operators, services, nodes, the Job controller and a bus. */
export const createCluster = (
  simulation: Simulation,
  { isStormy = false, ...options }: { isStormy?: boolean } & OperatorsOptions = {},
) => {
  const bus = createSimulatedBus(simulation)
  const operators = createOperators(simulation, bus, options)
  const calls = createCalls(simulation, operators.serving)
  const log = createWorkLog()
  const nodes = runNodes(simulation, runWorker(simulation, bus, log))
  const jobs = runJobs(simulation)
  const weather = (isBad: boolean) => {
    bus.weather(isBad ? stormyBus : calmBus)
    nodes.weather(isBad ? stormyNodes : calmNodes)
    jobs.weather(isBad ? stormyJobs : calmJobs)
    calls.weather(isBad ? stormyCalls : calmCalls)
  }
  weather(isStormy)
  const services = {
    search: runService(simulation, { bus, calls, trade: 'listings' }),
    generation: runService(simulation, { bus, calls, trade: 'music' }),
  }
  return { bus, operators, log, services, weather, gpus: gpuNode(simulation) }
}
