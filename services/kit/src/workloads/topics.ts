import { RunReport } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { messageCodec, topics } from '../bus/mod.ts'

/** What happens to one run, by its id. Kept for a while, so that whoever asked for the run may come back to it. */
export const runTopic = topics({
  family: 'workloads.runs',
  ...messageCodec(RunReport),
  keep: { events: 2_000, milliseconds: 15 * 60_000 },
  coalesceBy: (report) => (report.report?.$case === 'progress' ? 'progress' : undefined),
})
