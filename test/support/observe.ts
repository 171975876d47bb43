import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import type { Observation } from './observed-process.ts'

export type { Observation }

/**
 * Settings that make the processes of an installation observable through sockets in a folder, whose path must be short. The folder is a query
 * parameter of the module's URL, because a launcher passes on `NODE_OPTIONS` but of other variables only those that a process reads.
 */
export const observedBy = (directory: string): Record<string, string> => {
  const module = new URL('./observed-process.ts', import.meta.url)
  module.searchParams.set('directory', directory)
  return { NODE_OPTIONS: `--import ${module.href}` }
}

const read = async (path: string): Promise<Observation | undefined> => {
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

/** The resources of all observed processes after garbage collection; ended processes are left out. */
export const observe = async (directory: string): Promise<Observation[]> => {
  const names = await readdir(directory)
  const observed = await Promise.all(names.map((name) => read(join(directory, name))))
  return observed.flatMap((one) => (one === undefined ? [] : [one])).toSorted((a, b) => a.pid - b.pid)
}
