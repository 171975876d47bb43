import { parentPort, workerData } from 'node:worker_threads'
import { collectGarbage } from '@trellis/kit/memory'
import { createCalls, type Port } from '../threads/calls.ts'
import type { ModelCalls, ModelOptions } from './model-calls.ts'
import { ModelUnusable, readModelFiles } from './model-files.ts'
import { openNetwork } from './network.ts'

/** The thread of one model, which is loaded by the first call. */
if (!parentPort) throw new Error('This module is the start of a thread.')
const parent = parentPort
const port: Port = {
  send: (message, transfer) => parent.postMessage(message, transfer),
  receive: (listener) => void parent.on('message', listener),
}
const options = workerData as ModelOptions

const open = async () => {
  const files = await readModelFiles(options.directory)
  const network = await openNetwork({ ...options, files })
  const { width } = await network.run(['width'])
  return { network, loaded: { fingerprint: files.fingerprint, labels: files.labels, width } }
}
let opening: ReturnType<typeof open> | undefined
const opened = () => {
  opening ??= open().catch((error: unknown) => {
    opening = undefined
    throw error
  })
  return opening
}

const own: ModelCalls = {
  load: async () => {
    try {
      return (await opened()).loaded
    } catch (error) {
      if (error instanceof ModelUnusable) return { unusable: error.message }
      throw error
    }
  },
  run: async (texts) => (await (await opened()).network.run(texts)).values,
  rest: async (processContinues: boolean) => {
    const ending = await opening?.catch(() => undefined)
    opening = undefined
    await ending?.network.release()
    if (processContinues) collectGarbage()
  },
}
createCalls(port, own)
