import type { Dependencies } from '../dependencies.ts'
import { driveSeparations } from './drivers.ts'
import { createSeparations, type Separations } from './separations.ts'

/** Drives separations until the signal of the dependencies aborts; disposal waits for those that it is driving. */
export const openSeparations = (dependencies: Dependencies): AsyncDisposable & { separations: Separations } => {
  const driving = driveSeparations(dependencies).catch((error: unknown) =>
    dependencies.log.error({ err: error }, 'music: separation drivers stopped'),
  )
  return { separations: createSeparations(dependencies), [Symbol.asyncDispose]: () => driving }
}
