import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import type { Observation } from './observed-process.ts'

export type { Observation }

/**
 * Settings that let the processes of an installation be observed through sockets in a folder, which must have a short name. The folder is part of
 * the module's address: a launcher passes `NODE_OPTIONS` on, and of other variables only those that a process reads.
 */
export const observedBy = (directory: string): Record<string, string> => {
  const module = new URL('./observed-process.ts', import.meta.url)
  module.searchParams.set('directory', directory)
  return { NODE_OPTIONS: `--import ${module.href}` }
}

const ask = async (path: string): Promise<Observation | undefined> => {
  const socket = createConnection(path)
  try {
    await once(socket, 'connect')
    const parts: Buffer[] = []
    for await (const part of socket as AsyncIterable<Buffer>) parts.push(part)
    return JSON.parse(Buffer.concat(parts).toString()) as Observation
  } catch {
    // The process has ended.
    return undefined
  } finally {
    socket.destroy()
  }
}

/** What all observed processes hold, after garbage collection; those that have ended are left out. */
export const observe = async (directory: string): Promise<Observation[]> => {
  const names = await readdir(directory)
  const observed = await Promise.all(names.map((name) => ask(join(directory, name))))
  return observed.flatMap((one) => (one === undefined ? [] : [one])).toSorted((a, b) => a.pid - b.pid)
}
