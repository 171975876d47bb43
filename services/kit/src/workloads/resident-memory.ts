import { readFile } from 'node:fs/promises'

/** How often a worker's memory is looked at, in milliseconds; reading it takes some 50 microseconds. */
const watchMilliseconds = 100

/** The physical memory of a process in megabytes, as Linux counts it; undefined on other systems, or when it has ended. */
export const residentMegabytes = async (pid: number): Promise<number | undefined> => {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024
  } catch {
    return undefined
  }
}

/**
 * Watches the physical memory of a process from outside of it, since a process that decodes has no time to, and V8 counts
 * neither typed arrays nor WebAssembly. Calls back once when it is over the limit. Returns what ends the watch.
 */
export const watchMemory = (
  pid: number,
  limitMegabytes: number,
  onExceeded: (megabytes: number) => void,
): (() => void) => {
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const look = async () => {
    const megabytes = await residentMegabytes(pid)
    if (isOver || megabytes === undefined) return
    if (megabytes > limitMegabytes) onExceeded(megabytes)
    else timer = setTimeout(look, watchMilliseconds).unref()
  }
  timer = setTimeout(look, watchMilliseconds).unref()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}
