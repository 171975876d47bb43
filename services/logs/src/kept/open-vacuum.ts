import type { Dependencies } from '../dependencies.ts'
import { createKeeping } from './keeping.ts'
import { createVacuum, type Vacuum } from './vacuum.ts'

/** Lets go of what was kept long enough, in rounds until the service ends, and gives room back when asked to. */
export const openVacuum = (dependencies: Dependencies): Vacuum => {
  const { directory, tasks, log, signal, afterEngine } = dependencies
  const keeping = createKeeping({
    ...dependencies,
    mayBeElsewhere: async () => ((await directory?.active()) ?? []).length > 0,
    onFreed: (freed) => log.info(freed, 'entries that were kept long enough are gone'),
    onProblem: (error) => log.error({ err: error }, 'entries that were kept long enough could not be let go'),
  })
  const vacuum = createVacuum({ tasks, keeping })
  const rounds = keeping.run(signal)
  afterEngine.defer(async () => void (await Promise.all([rounds, vacuum.settled()])))
  return vacuum
}
