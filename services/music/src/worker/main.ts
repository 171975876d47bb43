import { readConfig } from '@trellis/kit/config'
import { serveWork } from '@trellis/kit/workloads'
import { workerConfig } from '../config.ts'
import { audioWork } from './audio-work.ts'

serveWork(audioWork(readConfig(workerConfig, process.env).files))
