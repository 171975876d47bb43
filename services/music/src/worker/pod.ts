import { runWorker } from '@trellis/kit/process/worker'
import { audioWork } from './audio-work.ts'

/** A generation worker in a pod. It uses the file store of the music service. */
await runWorker({
  name: 'generation-worker',
  kind: 'generation',
  config: {},
  open: (_config, { filesLocation }) => audioWork(filesLocation),
  environment: process.env,
  words: process.argv.slice(2),
})
