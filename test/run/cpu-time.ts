/** Setup file of each test file: notes the CPU time of its process and of the children that have ended, for the summary of the run. */
import { readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { afterAll } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** Seconds of CPU. */
    cpu?: number
  }
}

const ticksPerSecond = 100

/** Of this thread where test files share a process, else of the process; with its children on Linux, where the kernel counts them. */
const spent = (): number => {
  if (!isMainThread || process.platform !== 'linux') {
    const { user, system } = isMainThread ? process.cpuUsage() : process.threadCpuUsage()
    return (user + system) / 1e6
  }
  const stat = readFileSync('/proc/self/stat', 'utf8')
  // utime, stime, cutime, cstime: fields 14 to 17, counted from behind the name, which may hold blanks.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
  return fields.reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond
}

const atStart = spent()
// The first hook of a file's setup is the last one of its end.
// biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of fixtures from the first parameter
afterAll(({}, { file }) => {
  file.meta.cpu = spent() - atStart
})
