import { readFile } from 'node:fs/promises'
import type { Log } from '@trellis/kit/telemetry'

/** The share of file descriptors for connections; the rest is for files, databases and services. */
const connectionShareOfFiles = 0.75

/** Lowering the limit to this or more is not worth a warning at every start. */
const ampleConnections = 5_000

/** The soft limit of open files in the text of `/proc/self/limits`; undefined if there is none. */
export const openFilesLimit = (limits: string): number | undefined => {
  const soft = /^Max open files\s+(\d+)\s/m.exec(limits)?.[1]
  return soft === undefined ? undefined : Number(soft)
}

/**
 * `MAX_CONNECTIONS`, or, on Linux, three quarters of the open files limit if that is less: beyond it
 * the process could neither accept connections nor open files. If it lowers the limit it logs
 * both numbers, as a warning if few connections remain.
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
    'MAX_CONNECTIONS lowered to fit the open files limit: raise RLIMIT_NOFILE (ulimit -n)',
  )
  return possible
}
