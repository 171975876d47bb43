import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A cache of whole segments on the local disk. Each copy can be removed at any time. */
export type LocalSegments = {
  /** undefined if there is no copy of that size. Shorter than requested where the segment ends earlier. */
  readRange: (key: string, size: number, range: { start: number; end: number }) => Promise<Uint8Array | undefined>
  has: (key: string, size: number) => Promise<boolean>
  write: (key: string, content: Uint8Array) => Promise<void>
  remove: (key: string) => Promise<void>
}

/** Minimum interval between two updates of a copy's time of use, by which the least recently used copies are evicted. */
const markMilliseconds = 60_000
/** Age after which an unfinished write is taken for one of a killed process. */
const abandonedMilliseconds = 3_600_000
const incomingPrefix = '.incoming-'
/** Other processes may write to the same folder, so it is listed again after writes of this share of `maxBytes`. */
const shareUnseen = 0.05

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'
const ignoreMissing = (error: unknown): void => {
  if (!isMissing(error)) throw error
}

/**
 * Opens a folder as a cache of segments of about `maxBytes`. Safe for several processes on one folder: files appear atomically, and a file that
 * another process removed counts as absent. Nothing is synced: readers verify checksums.
 */
export const openLocalSegments = async (directory: string, maxBytes: number): Promise<LocalSegments> => {
  await mkdir(directory, { recursive: true })
  const nameOf = (key: string) => key.replaceAll('/', '_')
  const pathOf = (key: string) => join(directory, nameOf(key))
  const marked = new Map<string, number>()
  let unseenBytes = Number.POSITIVE_INFINITY
  let evicting: Promise<void> | undefined

  const mark = (key: string) => {
    const now = Date.now()
    if (now - (marked.get(key) ?? 0) < markMilliseconds) return
    marked.set(key, now)
    utimes(pathOf(key), now / 1000, now / 1000).catch(() => marked.delete(key))
  }
  const look = async (name: string) => {
    try {
      const { size, mtimeMs } = await stat(join(directory, name))
      return { name, size, usedAt: mtimeMs }
    } catch (error) {
      ignoreMissing(error)
      return undefined
    }
  }
  const evict = async () => {
    unseenBytes = 0
    const found = (await Promise.all((await readdir(directory)).map(look))).filter((file) => file !== undefined)
    const isIncoming = ({ name }: { name: string }) => name.startsWith(incomingPrefix)
    for (const file of found.filter(isIncoming)) {
      if (Date.now() - file.usedAt > abandonedMilliseconds) await rm(join(directory, file.name), { force: true })
    }
    const evictable = found.filter((file) => !isIncoming(file)).toSorted((a, b) => a.usedAt - b.usedAt)
    let total = evictable.reduce((sum, { size }) => sum + size, 0)
    // The last used copy stays, whatever its size: it is about to be read.
    for (const { name, size } of evictable.slice(0, -1)) {
      if (total <= maxBytes) break
      await rm(join(directory, name), { force: true })
      total -= size
    }
  }
  const evictAfter = async (bytes: number) => {
    unseenBytes += bytes
    if (unseenBytes <= maxBytes * shareUnseen) return
    evicting ??= evict().finally(() => {
      evicting = undefined
    })
    await evicting
  }

  return {
    readRange: async (key, size, { start, end }) => {
      try {
        await using file = await open(pathOf(key), 'r')
        if ((await file.stat()).size !== size) return undefined
        mark(key)
        const buffer = Buffer.allocUnsafeSlow(Math.max(0, Math.min(end, size) - start))
        const { bytesRead } = await file.read(buffer, 0, buffer.length, start)
        return buffer.subarray(0, bytesRead)
      } catch (error) {
        ignoreMissing(error)
        return undefined
      }
    },
    has: async (key, size) => (await look(nameOf(key)))?.size === size,
    write: async (key, content) => {
      const incoming = join(directory, `${incomingPrefix}${randomUUID()}`)
      try {
        await writeFile(incoming, content)
        await rename(incoming, pathOf(key))
      } catch (error) {
        await rm(incoming, { force: true })
        throw error
      }
      marked.set(key, Date.now())
      await evictAfter(content.length)
    },
    remove: async (key) => {
      marked.delete(key)
      await rm(pathOf(key), { force: true })
    },
  }
}
