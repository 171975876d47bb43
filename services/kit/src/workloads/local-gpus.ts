import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { GpuClass } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'

const execute = promisify(execFile)

/** The GPUs of this machine by model, and why there are none, as sentences. */
export type LocalGpus = { readonly classes: GpuClass[]; readonly reasons: string[] }

export type GpuProbe = () => Promise<LocalGpus>

/** The tool of NVIDIA's driver. No maintained binding of its library exists for Node. */
const tool = 'nvidia-smi'
const query = ['--query-gpu=name,memory.total,memory.used', '--format=csv,noheader,nounits']
/** Where drivers install their tool. Not PATH: a service must not start what a user's folder contains. */
const driverFolders = [
  '/usr/bin',
  '/usr/local/bin',
  '/usr/local/nvidia/bin',
  '/opt/nvidia/bin',
  '/usr/lib/wsl/lib',
  '/run/current-system/sw/bin',
]
/** A driver whose GPU has failed does not answer. */
const timeoutMilliseconds = 5_000
const mostOutput = 65_536
/** How long an answer is repeated: the tool takes up to a second. */
const cacheMilliseconds = 10_000
/** Memory that an idle GPU may use: the driver and a display need some. */
const idleShare = 0.05

/** The absolute path of the tool; undefined if it is not installed. */
const findTool = async (folders: readonly string[]): Promise<string | undefined> => {
  for (const folder of folders) {
    const path = join(folder, tool)
    const isExecutable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isExecutable) return path
  }
  return undefined
}

/** Converts the output of the tool: a line for each GPU. Lines that are not understood are left out. */
export const parseGpus = (output: string): GpuClass[] => {
  const classes = new Map<string, GpuClass>()
  for (const line of output.split('\n')) {
    const [product, total, used] = line.split(',').map((field) => field.trim())
    if (!product || used === undefined) continue
    const [memory, taken] = [Number(total), Number(used)]
    // Shared memory is reported as [N/A].
    const isIdle = !(taken > memory * idleShare)
    const known = classes.get(product)
    classes.set(product, {
      product,
      memoryMib: Number.isSafeInteger(memory) && memory > 0 ? memory : null,
      resource: '',
      total: (known?.total ?? 0) + 1,
      free: (known?.free ?? 0) + (isIdle ? 1 : 0),
      usedByUs: 0,
      usedByOthers: (known?.usedByOthers ?? 0) + (isIdle ? 0 : 1),
    })
  }
  return [...classes.values()]
}

const onCpu = 'Runs are child processes on the CPU of this machine.'

const readGpus = async (folders: readonly string[]): Promise<LocalGpus> => {
  const path = await findTool(folders)
  if (path === undefined) return { classes: [], reasons: [onCpu] }
  try {
    const { stdout } = await execute(path, query, {
      timeout: timeoutMilliseconds,
      killSignal: 'SIGKILL',
      maxBuffer: mostOutput,
      env: { LC_ALL: 'C' },
    })
    const classes = parseGpus(stdout)
    return { classes, reasons: classes.length > 0 ? [] : [onCpu, 'The GPU driver reports no GPUs.'] }
  } catch {
    return {
      classes: [],
      reasons: [onCpu, `The GPU driver is installed, but its tool (${path}) fails or does not answer.`],
    }
  }
}

/** Finds the NVIDIA GPUs of this machine by the tool of their driver. Concurrent and repeated calls share one answer. */
export const createGpuProbe = ({
  folders = driverFolders,
  now = Date.now,
}: {
  folders?: readonly string[]
  now?: () => number
} = {}): GpuProbe => {
  let [answer, readAt]: [Promise<LocalGpus> | undefined, number] = [undefined, 0]
  return () => {
    if (!answer || now() - readAt > cacheMilliseconds) {
      readAt = now()
      answer = readGpus(folders)
    }
    return answer
  }
}
