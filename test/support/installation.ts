import { setTimeout as sleep } from 'node:timers/promises'
import type { Trellis } from './trellis.ts'

/** The number of the process that last said to run under a name, as the launcher shows it. */
export const pidOf = (trellis: Trellis, name: string): number => {
  const server = new RegExp(`^launcher +${name} runs \\(process (\\d+)\\)`, 'gm')
  const own = new RegExp(`^${name} +runs \\(process (\\d+)\\)`, 'gm')
  const found = [...trellis.output().matchAll(server), ...trellis.output().matchAll(own)].at(-1)?.[1]
  if (found === undefined) throw new Error(`${name} does not run:\n${trellis.output()}`)
  return Number(found)
}

/** Kills a process of an installation as a crash would, and waits until the launcher has started it again. */
export const crash = async (trellis: Trellis, name: string): Promise<void> => {
  const pid = pidOf(trellis, name)
  process.kill(pid, 'SIGKILL')
  for (const limit = Date.now() + 60_000; Date.now() < limit; await sleep(50)) if (pidOf(trellis, name) !== pid) return
  throw new Error(`${name} was not started again:\n${trellis.output().slice(-4_000)}`)
}
