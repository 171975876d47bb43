import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Whole segments on this machine's disk. Copies only: each can go at any time. */
export type LocalSegments = {
  /** undefined where the segment is not here, or not of that size. Shorter than asked where it ends earlier. */
  readRange: (key: string, size: number, range: { start: number; end: number }) => Promise<Uint8Array | undefined>
  has: (key: string, size: number) => Promise<boolean>
  write: (key: string, content: Uint8Array) => Promise<void>
  remove: (key: string) => Promise<void>
}

/** How long a copy may go unmarked as used: the oldest mark goes first when room is needed. */
const markMilliseconds = 60_000
/** What a killed process was writing. */
const abandonedMilliseconds = 3_600_000
const incomingPrefix = '.incoming-'
/** Others may write to the same folder, so what is there is looked at again after so many bytes, or this share of the room. */
const shareUnseen = 0.05

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'
const ignoreMissing = (error: unknown): void => {
  if (!isMissing(error)) throw error
}

/**
 * Opens a folder as a cache of segments of about `maxBytes`. Safe for several processes on one folder: files appear whole, and one that
 * another process removed is simply not there any more. Nothing is synced: who reads checks what is read.
 */
export const openLocalSegments = async (directory: string, maxBytes: number): Promise<LocalSegments> => {
  await mkdir(directory, { recursive: true })
  const nameOf = (key: string) => key.replaceAll('/', '_')
  const pathOf = (key: string) => join(directory, nameOf(key))
  const marked = new Map<string, number>()
  let unseenBytes = Number.POSITIVE_INFINITY
  let making: Promise<void> | undefined

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
  const makeRoom = async () => {
    unseenBytes = 0
    const found = (await Promise.all((await readdir(directory)).map(look))).filter((file) => file !== undefined)
    const isIncoming = ({ name }: { name: string }) => name.startsWith(incomingPrefix)
    for (const file of found.filter(isIncoming)) {
      if (Date.now() - file.usedAt > abandonedMilliseconds) await rm(join(directory, file.name), { force: true })
    }
    const kept = found.filter((file) => !isIncoming(file)).toSorted((a, b) => a.usedAt - b.usedAt)
    let total = kept.reduce((sum, { size }) => sum + size, 0)
    // The one that was used last stays, whatever its size: somebody is about to read it.
    for (const { name, size } of kept.slice(0, -1)) {
      if (total <= maxBytes) break
      await rm(join(directory, name), { force: true })
      total -= size
    }
  }
  const roomAfter = async (bytes: number) => {
    unseenBytes += bytes
    if (unseenBytes <= maxBytes * shareUnseen) return
    making ??= makeRoom().finally(() => {
      making = undefined
    })
    await making
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
      await roomAfter(content.length)
    },
    remove: async (key) => {
      marked.delete(key)
      await rm(pathOf(key), { force: true })
    },
  }
}
