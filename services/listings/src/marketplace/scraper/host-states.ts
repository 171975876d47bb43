import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Request state of a host. Times are milliseconds of the gate's clock. */
export type HostState = {
  /** When the next request may go. */
  nextTurn: number
  /** Until when no requests go to the host, after a refusal. */
  closedUntil: number
  /** Consecutive refusals. */
  refusals: number
  /** Gap between two requests that the host's robots.txt requires; 0 for none. */
  requestedGap: number
}

/** States by host. Changes are exclusive, so two requests never take the same slot. */
export type HostStates = {
  readonly change: <Result>(host: string, make: (hostState: HostState) => Result) => Promise<Result>
}

/** The state of an unknown host. */
export const newHostState = (): HostState => ({ nextTurn: 0, closedUntil: 0, refusals: 0, requestedGap: 0 })

/** Maximum number of hosts; beyond it the least recently used one is evicted. */
const maxHosts = 100

/** Host states of one process. */
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

/** Age in milliseconds beyond which a lock, held only for a read and a write, was left behind by a process that died. */
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
    // A file truncated by a process that died counts as missing.
    if (isMissing(error) || error instanceof SyntaxError) return newHostState()
    throw error
  }
}

/**
 * Host states that the processes of one machine share, a small file for each host in a directory: together they have the pace
 * of one, and a refusal to one of them applies to all. The gate's clock must be the time of day.
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
