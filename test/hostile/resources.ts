import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Trellis } from '../support/trellis.ts'

/** A snapshot of a process: megabytes of physical memory, and open descriptors. */
export type Sample = { at: number; pid: number; name: string; megabytes: number; descriptors: number }

const childrenOf = async (pid: number): Promise<number[]> => {
  const tasks = await readdir(`/proc/${pid}/task`)
  const listed = await Promise.all(tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8')))
  return listed.flatMap((text) => text.split(' ').filter(Boolean).map(Number))
}

/** Pids of a process and its descendants; processes that end meanwhile are left out. */
const treeOf = async (pid: number): Promise<number[]> => {
  const children = await childrenOf(pid).catch(() => [])
  return [pid, ...(await Promise.all(children.map(treeOf))).flat()]
}

/** The launcher's name of a process, or the end of its module path. */
const nameOf = async (pid: number, output: string): Promise<string> => {
  const [, launched] = new RegExp(`^(?:launcher +)?(\\S+) +runs \\(process ${pid}\\)`, 'm').exec(output) ?? []
  if (launched !== undefined) return launched
  const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
  const module = words.slice(1).find((word) => /\.[jt]s$/.test(word)) ?? words[0] ?? ''
  return module
    .split('/')
    .slice(-3)
    .join('/')
    .replace(/^.*start-/, '')
    .slice(-32)
}

const sampleOf = async (pid: number, output: string): Promise<Sample[]> => {
  try {
    const [status, descriptors, name] = await Promise.all([
      readFile(`/proc/${pid}/status`, 'utf8'),
      readdir(`/proc/${pid}/fd`),
      nameOf(pid, output),
    ])
    const megabytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024
    return [{ at: Date.now(), pid, name, megabytes, descriptors: descriptors.length }]
  } catch {
    // The process has ended.
    return []
  }
}

/** Samples every process of an installation. */
export const sampleProcesses = async ({ process: { pid = 0 }, output }: Trellis): Promise<Sample[]> => {
  const text = output()
  return (await Promise.all((await treeOf(pid)).map((one) => sampleOf(one, text)))).flat()
}

/** Samples all processes periodically until the signal is aborted. */
export const watchProcesses = async (
  trellis: Trellis,
  everyMilliseconds: number,
  signal: AbortSignal,
): Promise<Sample[]> => {
  const samples: Sample[] = []
  while (!signal.aborted) {
    samples.push(...(await sampleProcesses(trellis)))
    await sleep(everyMilliseconds, undefined, { signal }).catch(() => undefined)
  }
  return samples
}

/** Clock ticks of CPU time of an installation so far, including ended processes whose parents have reaped them. */
export const readUsed = async ({ process: { pid = 0 } }: Trellis): Promise<number> => {
  const lines = await Promise.all(
    (await treeOf(pid)).map((one) => readFile(`/proc/${one}/stat`, 'utf8').catch(() => '')),
  )
  // Fields are counted from the closing parenthesis of the name, because a name may contain blanks.
  const ticks = lines.map((line) =>
    line
      .slice(line.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15)
      .map(Number),
  )
  return ticks.flat().reduce((sum, count) => sum + count, 0)
}

/** Busy and total clock ticks of all processors; two readings yield the load of the machine. */
export const readBusy = async (): Promise<{ busy: number; all: number }> => {
  const [line = ''] = (await readFile('/proc/stat', 'utf8')).split('\n', 1)
  const times = line.split(/\s+/).slice(1, 9).map(Number)
  const all = times.reduce((sum, time) => sum + time, 0)
  return { all, busy: all - (times[3] ?? 0) - (times[4] ?? 0) }
}
