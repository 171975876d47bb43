import { readdir, readFile } from 'node:fs/promises'

/** How often a worker's memory is read, in milliseconds; a read takes some 50 microseconds. */
const watchMilliseconds = 100
/** How often the list of descendants is read, in milliseconds: one file per thread, so some hundred for a worker with a browser. */
const treeMilliseconds = 1_000
/** Descendants beyond this number, and threads of a process beyond this number, are ignored. */
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

/** The resident memory of a process in megabytes (`VmRSS`); undefined on systems other than Linux, or when the process has ended. */
export const residentMegabytes = (pid: number, read: ReadProc = readProc): Promise<number | undefined> =>
  readStatus(pid, read, 'VmRSS')

/** Memory of a descendant without mapped files, which siblings of the same program share and which would be counted for each. */
const ownMegabytes = (pid: number, read: ReadProc) => readStatus(pid, read, 'RssAnon', 'RssShmem')

/** The children of a process, which Linux lists by the thread that started them. */
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

/** The descendants of a process, breadth first. */
export const descendantsOf = async (pid: number, read: ReadProc = readProc): Promise<number[]> => {
  const found = [pid]
  for (let at = 0; at < found.length && found.length <= maxDescendants; at += 1)
    found.push(...(await childrenOf(found[at] ?? 0, read)))
  return found.slice(1, maxDescendants + 1)
}

export type MemoryLimits = {
  /** Limit of the process itself. */
  residentMegabytes: number
  /** Limit of the process together with all its descendants. */
  treeMegabytes: number
}

/** The limit that was exceeded, the memory measured, and the descendants at that time. */
export type Exceeded = { megabytes: number; limitMegabytes: number; descendants: readonly number[] }

const sum = (values: readonly (number | undefined)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0)

/**
 * Watches the physical memory of a process and its descendants from outside, because a busy process has no time to, and V8
 * counts neither typed arrays nor WebAssembly. Calls back once when a limit is exceeded. A read that fails, for lack of file
 * descriptors or because a process is ending, is retried. Watching lasts until the returned function is called.
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
