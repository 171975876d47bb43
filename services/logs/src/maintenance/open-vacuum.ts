import type { Dependencies } from '../dependencies.ts'
import { createRetentionSweeper } from './retention-sweeper.ts'
import { createVacuum, type Vacuum } from './vacuum.ts'

/** Deletes expired entries periodically until the service ends, and reclaims disk space on request. */
export const openVacuum = (dependencies: Dependencies): Vacuum => {
  const { directory, tasks, log, signal, afterEngine } = dependencies
  const sweeper = createRetentionSweeper({
    ...dependencies,
    mayBeElsewhere: async () => ((await directory?.active()) ?? []).length > 0,
    onFreed: (freed) => log.info(freed, 'retention: entries deleted'),
    onProblem: (error) => log.error({ err: error }, 'retention: expired entries could not be deleted'),
  })
  const vacuum = createVacuum({ tasks, sweeper })
  const rounds = sweeper.run(signal)
  afterEngine.defer(async () => void (await Promise.all([rounds, vacuum.settled()])))
  return vacuum
}
