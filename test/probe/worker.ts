import { serveWork } from '@trellis/kit/workloads'
import { performTask } from './perform-task.ts'

serveWork(performTask)
