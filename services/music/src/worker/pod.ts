import { runWorker } from '@trellis/kit/process/worker'
import { audioWork } from './audio-work.ts'

/** A generation worker in a pod of its own. Its audio lies where the music service keeps it. */
await runWorker({
  name: 'generation-worker',
  kind: 'generation',
  config: {},
  open: (_config, { filesLocation }) => audioWork(filesLocation),
  environment: process.env,
  words: process.argv.slice(2),
})
