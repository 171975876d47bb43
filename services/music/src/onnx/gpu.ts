import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { messageOf } from '@trellis/kit/errors'

/** Where GPUs and the libraries for them are looked for. */
type Machine = {
  /** Devices of NVIDIA's driver, on Linux and in its subsystem for Windows. */
  readonly devices?: readonly string[]
  /** The runtime's libraries, beside which it looks for its GPU files. */
  readonly libraries?: string
}

const usualDevices = ['/dev/nvidiactl', '/dev/dxg']
const [sharedFile, cudaFile] = ['libonnxruntime_providers_shared.so', 'libonnxruntime_providers_cuda.so']

/** What CUDA reports if it may use no GPU. */
const noDevice = 'no CUDA-capable device is detected'

/** Whether a GPU is worth a try. Outside Linux that can only be tried. */
export const mayHaveGpu = ({ devices = usualDevices }: Machine = {}): boolean =>
  process.platform !== 'linux' || devices.some((path) => existsSync(path))

const runtimeLibraries = (): string => {
  const entry = createRequire(import.meta.url).resolve('onnxruntime-node')
  return join(dirname(entry), '../bin/napi-v6', process.platform, process.arch)
}

/** The library that the dynamic linker did not find, by its message. */
const libraryNotFound = (message: string): string | undefined =>
  /([^\s:/]+): cannot open shared object file/.exec(message)?.[1]

/** The first library that another one needs and that is not found. */
const missingLibrary = (path: string): string | undefined => {
  try {
    // All symbols at once: one that is missed later would end the process.
    process.dlopen({ exports: {} }, path, constants.dlopen.RTLD_NOW)
  } catch (error) {
    return libraryNotFound(messageOf(error))
  }
  return undefined
}

/** Why no GPU can be used, in sentences. The runtime's own error does not name a library that its GPU files are linked with. */
export const whyNoGpu = (cause: unknown, machine: Machine = {}): string => {
  const { libraries = runtimeLibraries() } = machine
  const message = messageOf(cause)
  if (process.platform === 'linux') {
    if (!mayHaveGpu(machine)) return 'This machine has no GPU of NVIDIA, or its driver is not loaded.'
    const missing = [sharedFile, cudaFile].filter((name) => !existsSync(join(libraries, name)))
    if (missing.length > 0)
      return `The GPU files of onnxruntime-node are missing: ${missing.join(', ')} in ${libraries}.`
    const library = libraryNotFound(message) ?? missingLibrary(join(libraries, cudaFile))
    if (library !== undefined)
      return `${library} is not found: LD_LIBRARY_PATH must name the folders of CUDA and cuDNN.`
  }
  const failure = /CUDA failure \d+: ([^;]+?) *;/.exec(message)?.[1]
  if (failure === undefined) return `The runtime reports: ${message}`
  const hint = failure === noDevice ? ' CUDA_VISIBLE_DEVICES may hide it.' : ''
  return `CUDA reports: ${failure}.${hint}`
}
