import { setTimeout as sleep } from 'node:timers/promises'
import type { Trellis } from './trellis.ts'

/** The pid of the last process with a name, from the launcher's output. */
export const pidOf = (trellis: Trellis, name: string): number => {
  const server = new RegExp(`^launcher +${name} started \\(pid (\\d+)\\)`, 'gm')
  const own = new RegExp(`^${name} +started \\(pid (\\d+)\\)`, 'gm')
  const found = [...trellis.output().matchAll(server), ...trellis.output().matchAll(own)].at(-1)?.[1]
  if (found === undefined) throw new Error(`${name} does not run:\n${trellis.output()}`)
  return Number(found)
}

/** Kills a process of an installation with SIGKILL, and waits until the launcher has restarted it. */
export const crash = async (trellis: Trellis, name: string): Promise<void> => {
  const pid = pidOf(trellis, name)
  process.kill(pid, 'SIGKILL')
  for (const limit = Date.now() + 60_000; Date.now() < limit; await sleep(50)) if (pidOf(trellis, name) !== pid) return
  throw new Error(`${name} was not started again:\n${trellis.output().slice(-4_000)}`)
}
