import type { RunReport } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'

/**
 * Filters duplicate reports for one reader of a run's topic: a worker whose report was stored but not acknowledged
 * sends it again, right after the first. `started` always passes, because it may come from another worker.
 */
export const createRepeatFilter = (): ((report: RunReport) => boolean) => {
  let last = 0
  return ({ number, report }) => {
    const current = number ?? 0
    const isNew = current === 0 || current !== last || report?.$case === 'started'
    last = current
    return isNew
  }
}
