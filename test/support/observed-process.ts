/**
 * Preloaded into processes under test (`NODE_OPTIONS=--import`): serves the current resources of the process on a Unix socket named after its pid.
 * Loaded by Node itself, so it imports only Node's own modules.
 */
import { mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

const directory = new URL(import.meta.url).searchParams.get('directory')
const faults: string[] = []

const linkOf = (descriptor: string): string => {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    // Closed meanwhile, such as the descriptor used to list the folder.
    return ''
  }
}

const counted = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

const childrenOf = (pid: number): number[] => {
  const tasks = readdirSync(`/proc/${pid}/task`)
  const listed = tasks.map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'))
  return listed.flatMap((text) => text.split(' ').filter(Boolean).map(Number))
}

const look = (collectGarbage: () => void) => {
  collectGarbage()
  const links = readdirSync('/proc/self/fd').map(linkOf).filter(Boolean)
  const { rss, heapUsed, external } = process.memoryUsage()
  return {
    pid: process.pid,
    module: process.argv[1] ?? '',
    files: links.filter((link) => link.startsWith('/') && !link.startsWith('/dev/')),
    sockets: links.filter((link) => link.startsWith('socket:')).length,
    resources: counted(process.getActiveResourcesInfo()),
    children: childrenOf(process.pid),
    memory: { rss, heapUsed, external },
    faults,
  }
}

export type Observation = ReturnType<typeof look>

if (directory !== null && isMainThread) {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  process.on('uncaughtExceptionMonitor', (error) => faults.push(String(error?.stack ?? error)))
  mkdirSync(directory, { recursive: true })
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end(JSON.stringify(look(collectGarbage)))
  })
  server.on('error', () => undefined)
  server.listen(join(directory, `${process.pid}.sock`)).unref()
}
