import { readdir, readFile } from 'node:fs/promises'

/** How often a worker's memory is read, in milliseconds; reading it takes some 50 microseconds. */
const watchMilliseconds = 100
/** How often the list of descendants is read again: a file for each thread, so a worker with a browser has some hundred. */
const treeMilliseconds = 1_000
/** Descendants beyond these, and threads of one process beyond these, are not looked for. */
const maxDescendants = 256
const maxThreads = 256

/** Reads a file of `/proc`. */
export type ReadProc = (path: string) => Promise<string>

const readProc: ReadProc = (path) => readFile(path, 'utf8')

const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

/** Fields of `/proc/PID/status` in megabytes; undefined when the process has ended or the file cannot be read. */
const readStatus = async (pid: number, read: ReadProc, ...fields: string[]): Promise<number | undefined> => {
  try {
    const text = await read(`/proc/${pid}/status`)
    const kilobytes = fields.map((field) => new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1])
    return kilobytes.some((value) => value === undefined)
      ? undefined
      : kilobytes.reduce((sum, value) => sum + Number(value), 0) / 1024
  } catch {
    return undefined
  }
}

/** The physical memory of a process in megabytes, as Linux counts it; undefined on other systems, or when it has ended. */
export const residentMegabytes = (pid: number, read: ReadProc = readProc): Promise<number | undefined> =>
  readStatus(pid, read, 'VmRSS')

/** Memory of a descendant without mapped files: those of its program are shared by its siblings, and would be counted for each. */
const ownMegabytes = (pid: number, read: ReadProc) => readStatus(pid, read, 'RssAnon', 'RssShmem')

/** The children of a process: Linux lists them by the thread that started them. */
const childrenOf = async (pid: number, read: ReadProc): Promise<number[]> => {
  try {
    const threads = (await readdir(`/proc/${pid}/task`)).slice(0, maxThreads)
    const lists = await Promise.all(
      threads.map((thread) => read(`/proc/${pid}/task/${thread}/children`).catch(() => '')),
    )
    return lists.flatMap((list) =>
      list
        .split(' ')
        .filter((word) => word !== '')
        .map(Number),
    )
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH', 'EMFILE', 'ENFILE')) return []
    throw error
  }
}

/** The processes that a process started, and those that these started, breadth first. */
export const descendantsOf = async (pid: number, read: ReadProc = readProc): Promise<number[]> => {
  const found = [pid]
  for (let at = 0; at < found.length && found.length <= maxDescendants; at += 1)
    found.push(...(await childrenOf(found[at] ?? 0, read)))
  return found.slice(1, maxDescendants + 1)
}

export type MemoryLimits = {
  /** Of the process itself. */
  residentMegabytes: number
  /** Of the process and all processes below it. */
  treeMegabytes: number
}

/** A limit that was passed, and by which processes beside the watched one. */
export type Exceeded = { megabytes: number; limitMegabytes: number; descendants: readonly number[] }

const sum = (values: readonly (number | undefined)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0)

/**
 * Watches the physical memory of a process and its descendants from outside, since a process that decodes has no time to, and V8
 * counts neither typed arrays nor WebAssembly. Calls back once when a limit is exceeded. A read that fails, for want of file
 * descriptors or since a process is ending, is repeated: the watch lasts until the returned function ends it.
 */
export const watchMemory = (
  pid: number,
  { residentMegabytes: own, treeMegabytes }: MemoryLimits,
  onExceeded: (exceeded: Exceeded) => void,
  read: ReadProc = readProc,
): (() => void) => {
  if (process.platform !== 'linux') return () => undefined
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  let descendants: readonly number[] = []
  let listedAt = Number.NEGATIVE_INFINITY
  const exceeded = async (): Promise<Exceeded | undefined> => {
    if (performance.now() - listedAt >= treeMilliseconds) {
      listedAt = performance.now()
      descendants = await descendantsOf(pid, read)
    }
    const megabytes = (await residentMegabytes(pid, read)) ?? 0
    if (megabytes > own) return { megabytes, limitMegabytes: own, descendants }
    const all = megabytes + sum(await Promise.all(descendants.map((descendant) => ownMegabytes(descendant, read))))
    return all > treeMegabytes ? { megabytes: all, limitMegabytes: treeMegabytes, descendants } : undefined
  }
  const look = async () => {
    const found = await exceeded().catch(() => undefined)
    if (isOver) return
    if (found) onExceeded(found)
    else timer = setTimeout(look, watchMilliseconds).unref()
  }
  timer = setTimeout(look, watchMilliseconds).unref()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}
