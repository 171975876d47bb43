/** Setup file of each test file: records the CPU time of its process and of ended children for the summary of the run. */
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

/** CPU seconds of this thread if test files share a process, otherwise of the process; on Linux including reaped children. */
const spent = (): number => {
  if (!isMainThread || process.platform !== 'linux') {
    const { user, system } = isMainThread ? process.cpuUsage() : process.threadCpuUsage()
    return (user + system) / 1e6
  }
  const stat = readFileSync('/proc/self/stat', 'utf8')
  // utime, stime, cutime, cstime: fields 14 to 17, counted from the end of the name, which may contain blanks.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
  return fields.reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond
}

const atStart = spent()
// afterAll hooks run in reverse order, so this first one runs last.
// biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of fixtures from the first parameter
afterAll(({}, { file }) => {
  file.meta.cpu = spent() - atStart
})
