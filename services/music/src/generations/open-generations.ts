import type { Dependencies } from '../dependencies.ts'
import { driveGenerations } from './drivers.ts'
import { createGenerations, type Generations } from './generations.ts'
import { servePlanRequests } from './plan-requests.ts'

/** Drives generations of all replicas until the signal of the dependencies aborts; disposal waits for those that it is driving. */
export const openGenerations = (dependencies: Dependencies): AsyncDisposable & { generations: Generations } => {
  const generations = createGenerations(dependencies)
  const loops = Promise.all([driveGenerations(dependencies), servePlanRequests(dependencies, generations)]).catch(
    (error: unknown) => dependencies.log.error({ err: error }, 'music: generation drivers stopped'),
  )
  return { generations, [Symbol.asyncDispose]: async () => void (await loops) }
}
