import { readFile } from 'node:fs/promises'
import type { Log } from '@trellis/kit/telemetry'

/** The part of the file descriptors that connections may take: the rest is for files, databases and services. */
const connectionShareOfFiles = 0.75

/** A limit as high as this one is no surprise to its user, and not worth a warning at every start. */
const ampleConnections = 5_000

/** How many files the process may open: the soft limit in the text of `/proc/self/limits`; undefined where it has none. */
export const openFilesLimit = (limits: string): number | undefined => {
  const soft = /^Max open files\s+(\d+)\s/m.exec(limits)?.[1]
  return soft === undefined ? undefined : Number(soft)
}

/**
 * `MAX_CONNECTIONS`, or three quarters of the files that the process may open where that is less (on Linux): past that limit
 * connections could not be accepted, and nothing else could be opened. Where it lowers the limit it logs
 * both numbers, as a warning where few are left.
 */
export const connectionLimit = async (
  maxConnections: number,
  log: Log,
  read: () => Promise<string> = () => readFile('/proc/self/limits', 'utf8'),
): Promise<number> => {
  const openFiles = openFilesLimit(await read().catch(() => ''))
  if (openFiles === undefined) return maxConnections
  const possible = Math.max(1, Math.floor(openFiles * connectionShareOfFiles))
  if (possible >= maxConnections) return maxConnections
  log[possible < ampleConnections ? 'warn' : 'debug'](
    { maxConnections, lowered: possible, openFiles },
    'MAX_CONNECTIONS is more than the limit of open files allows, and is lowered: raise RLIMIT_NOFILE (ulimit -n)',
  )
  return possible
}
