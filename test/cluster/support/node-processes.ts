import { readdir, readFile } from 'node:fs/promises'
import { must } from '../../support/run-program.ts'
import { programs } from './programs.ts'

/** A process of this machine. */
export type NodeProcess = {
  pid: number
  signal: (signal: NodeJS.Signals) => void
  isAlive: () => boolean
}

const processOf = (pid: number): NodeProcess => ({
  pid,
  signal: (signal) => void process.kill(pid, signal),
  isAlive: () => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  },
})

const read = (pid: string, file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')

const findProcesses = async (isIt: (pid: string) => Promise<boolean>): Promise<NodeProcess[]> => {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(pids.map(async (pid) => ((await isIt(pid)) ? [Number(pid)] : [])))
  return found.flat().map(processOf)
}

/** Whether a process is the first of a container, which has pid 1 in its process namespace. */
const isFirst = async (pid: string): Promise<boolean> => /^NSpid:(\t\d+)+\t1$/m.test(await read(pid, 'status'))

/** The process of a pod with one container. Throws if it has none at the moment, or runs on another machine. */
export const processOfPod = async ({ metadata }: { metadata: { uid: string; name: string } }): Promise<NodeProcess> => {
  const [found, ...others] = await findProcesses(
    async (pid) =>
      (await read(pid, 'cgroup')).includes(`pod${metadata.uid}`) &&
      (await isFirst(pid)) &&
      !(await read(pid, 'cmdline')).startsWith('/pause'),
  )
  if (!found || others.length > 0)
    throw new Error(`The pod ${metadata.name} has ${others.length + (found ? 1 : 0)} processes here.`)
  return found
}

/** The address of the node and the API server, as reachable from this machine and from pods. */
export const nodeAddress = async (): Promise<string> => {
  const args = ['config', 'view', '--minify', '-o', 'jsonpath={.clusters[0].cluster.server}']
  return new URL(await must(programs.kubectl, args)).hostname
}

/** The process of the API server in KUBECONFIG, if it runs on this machine. */
export const processOfApiServer = async (): Promise<NodeProcess | undefined> => {
  const address = await nodeAddress()
  const [found] = await findProcesses(async (pid) => {
    const [program = '', ...args] = (await read(pid, 'cmdline')).split('\0')
    return program.endsWith('kube-apiserver') && args.includes(`--advertise-address=${address}`)
  })
  return found
}
