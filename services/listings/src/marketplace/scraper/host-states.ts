import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** How we stand with a host. Times are milliseconds of the gate's clock. */
export type HostState = {
  /** When the next request may go. */
  nextTurn: number
  /** Until when the host is left alone, after a refusal. */
  closedUntil: number
  /** Refusals in a row. */
  refusals: number
  /** What the host's robots.txt asks for between two requests; 0 where it asks for nothing. */
  requestedGap: number
}

/** Standings by host. A change has the standing to itself while it is made, so two requests never take the same turn. */
export type HostStates = {
  readonly change: <Result>(host: string, make: (hostState: HostState) => Result) => Promise<Result>
}

/** How we stand with a host that nothing is known of. */
export const newHostState = (): HostState => ({ nextTurn: 0, closedUntil: 0, refusals: 0, requestedGap: 0 })

/** Hosts remembered; beyond them the one used least recently is forgotten. */
const maxHosts = 100

/** Standings of one process. */
export const createMemoryHostStates = (): HostStates => {
  const hostStates = new Map<string, HostState>()
  return {
    change: async (host, make) => {
      const hostState = hostStates.get(host) ?? newHostState()
      hostStates.delete(host)
      hostStates.set(host, hostState)
      const [oldest] = hostStates.keys()
      if (hostStates.size > maxHosts && oldest !== undefined) hostStates.delete(oldest)
      return make(hostState)
    },
  }
}

/** A lock is held for a read and a write; one older than this was left behind by a process that died, in milliseconds. */
const lockLifetime = 2_000
const lockRetry = 5

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'
const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST'

const breakStaleLock = async (path: string): Promise<void> => {
  try {
    if (Date.now() - (await stat(path)).mtimeMs > lockLifetime) await rm(path, { force: true })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

const locked = async <Result>(path: string, work: () => Promise<Result>): Promise<Result> => {
  for (;;) {
    try {
      await (await open(path, 'wx')).close()
      break
    } catch (error) {
      if (!isTaken(error)) throw error
      await breakStaleLock(path)
      await sleep(lockRetry)
    }
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

const read = async (path: string): Promise<HostState> => {
  try {
    return { ...newHostState(), ...(JSON.parse(await readFile(path, 'utf8')) as Partial<HostState>) }
  } catch (error) {
    // A file cut short by a process that died is worth no more than none.
    if (isMissing(error) || error instanceof SyntaxError) return newHostState()
    throw error
  }
}

/**
 * Standings that the processes of one machine share, a small file a host in a directory of their own: together they keep
 * the pace of one, and a refusal to one of them is a refusal to all. The gate's clock must then be the time of day.
 */
export const createFileHostStates = (directory: string): HostStates => ({
  change: async (host, make) => {
    await mkdir(directory, { recursive: true })
    const path = join(directory, createHash('sha256').update(host).digest('hex').slice(0, 32))
    return locked(`${path}.lock`, async () => {
      const hostState = await read(path)
      const result = make(hostState)
      await writeFile(path, JSON.stringify(hostState))
      return result
    })
  },
})
