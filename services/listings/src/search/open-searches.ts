import type { Dependencies } from '../dependencies.ts'
import { prepareBusHostStates } from '../marketplace/scraper/bus-host-states.ts'
import { type DriverOptions, driveSearches } from './drivers.ts'
import { servePlanRequests } from './plan-requests.ts'

/** Drives searches of all replicas until the signal of the dependencies aborts; disposal waits for those that it is driving. */
export const openSearches = async (dependencies: Dependencies, options: DriverOptions): Promise<AsyncDisposable> => {
  const { bus, log, runsAreObjects } = dependencies
  if (runsAreObjects) await prepareBusHostStates(bus)
  const loops = Promise.all([driveSearches(dependencies, options), servePlanRequests(dependencies)]).catch(
    (error: unknown) => log.error({ err: error }, 'listings: search drivers stopped'),
  )
  return { [Symbol.asyncDispose]: async () => void (await loops) }
}
