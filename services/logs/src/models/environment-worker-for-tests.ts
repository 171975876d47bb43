import { env } from 'node:process'
import { parentPort } from 'node:worker_threads'
import { createCalls, type Port } from '../threads/calls.ts'

/** A thread that reports its environment from before any other module was loaded. */
const environmentAtStart = { ...env }

if (!parentPort) throw new Error('This module is the start of a thread.')
const parent = parentPort
const port: Port = {
  send: (message, transfer) => parent.postMessage(message, transfer),
  receive: (listener) => void parent.on('message', listener),
}
createCalls(port, { environment: async () => environmentAtStart, rest: async () => undefined })
