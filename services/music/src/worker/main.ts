import { readConfig } from '@trellis/kit/config'
import { serveWork } from '@trellis/kit/workloads'
import { workerConfig } from '../config.ts'
import { audioWork } from './audio-work.ts'

const { files, modelDevice } = readConfig(workerConfig, process.env)
serveWork(audioWork(files, modelDevice))
