import type { Metrics } from '@trellis/kit/telemetry'
import type { LogEngine } from '../threads/log-engine.ts'
import { noResult, type UploadResult } from '../threads/upload-result.ts'

type Counts = { entries: number; duplicates: number; rejected?: number }

/** An engine that counts entries by result in `trellis_logs_entries_total`. */
export const countEntries = <Engine extends LogEngine>(engine: Engine, metrics: Metrics | undefined): Engine => {
  if (metrics === undefined) return engine
  const counter = metrics.counter({
    name: 'trellis_logs_entries_total',
    help: 'Entries by result: stored, duplicate (already stored) or rejected.',
    labels: ['result'],
  })
  const count = ({ entries, duplicates, rejected = 0 }: Counts): void => {
    counter.inc({ result: 'stored' }, entries)
    counter.inc({ result: 'duplicate' }, duplicates)
    counter.inc({ result: 'rejected' }, rejected)
  }
  return {
    ...engine,
    ingest: async (batch) => {
      const result = await engine.ingest(batch)
      count(result)
      return result
    },
    ingestPushed: async (...pushed) => {
      const result = await engine.ingestPushed(...pushed)
      count({ ...result, rejected: result.rejected.length })
      return result
    },
    ingestFile: async (...opened) => {
      const file = await engine.ingestFile(...opened)
      let counted = noResult.counts
      /** The counts of a file's results are cumulative. */
      const countNew = <Result extends UploadResult>(result: Result): Result => {
        const { entries, duplicates, rejected } = result.counts
        count({
          entries: entries - counted.entries,
          duplicates: duplicates - counted.duplicates,
          rejected: rejected - counted.rejected,
        })
        counted = result.counts
        return result
      }
      return {
        ...file,
        settle: async (closes) => countNew(await file.settle(closes)),
        end: async () => countNew(await file.end()),
      }
    },
  }
}
