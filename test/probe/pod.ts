import { runWorker } from '@trellis/kit/process/worker'
import { performTask } from './perform-task.ts'

/** The probe's worker as the process of a pod. */
await runWorker({
  name: 'probe-worker',
  kind: 'search',
  config: {},
  open: () => performTask,
  environment: process.env,
  words: process.argv.slice(2),
})
