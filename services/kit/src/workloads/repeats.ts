import type { RunReport } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'

/**
 * Tells reports from repeats, for one reader of a run's topic: a worker whose report was stored but never acknowledged
 * sends it again, right behind the first. That it has started may be another worker's word, and is heard each time.
 */
export const createRepeatFilter = (): ((report: RunReport) => boolean) => {
  let last = 0
  return ({ number, report }) => {
    const given = number ?? 0
    const isNew = given === 0 || given !== last || report?.$case === 'started'
    last = given
    return isNew
  }
}
