import { parentPort } from 'node:worker_threads'
import type { LogFormat } from '../format.ts'
import { checkFormat } from './check-format.ts'

/** The thread in which a user's patterns are tried: one that never ends is ended with it. */
if (!parentPort) throw new Error('This module is the start of a thread.')
const port = parentPort

export type CheckRequest = { format: LogFormat; earlier: readonly LogFormat[] }

port.on('message', ({ format, earlier }: CheckRequest) => port.postMessage(checkFormat(format, earlier)))
port.postMessage('ready')
