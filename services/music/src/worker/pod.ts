import { runWorker } from '@trellis/kit/process/worker'
import { modelRuntimeConfig } from '../config.ts'
import { audioWork } from './audio-work.ts'

/** A generation worker in a pod. It uses the file store of the music service. */
await runWorker({
  name: 'generation-worker',
  kind: 'generation',
  config: { modelDevice: modelRuntimeConfig.modelDevice },
  open: ({ modelDevice }, { filesLocation }) => audioWork(filesLocation, modelDevice),
  environment: process.env,
  words: process.argv.slice(2),
})
