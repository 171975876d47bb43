import { randomUUID } from 'node:crypto'
import { closeSync, type Dirent, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { untilAborted } from '../lifecycle/mod.ts'
import type { ByteRange, FileInfo, Files } from './files.ts'
import { checkKey, missingFile } from './key.ts'

const chunkBytes = 256 * 1024
const temporaryFolder = '.incoming'

const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code)

const isMissing = (error: unknown): boolean => hasCode(error, 'ENOENT', 'ENOTDIR')

/** Syncs a folder; a rename in it is durable only after that. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r').catch((error) => {
    // Its files have been removed meanwhile, and it with them.
    if (!isMissing(error)) throw error
  })
  if (handle === undefined) return
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const writeAll = async (handle: FileHandle, content: Uint8Array | AsyncIterable<Uint8Array>, signal?: AbortSignal) => {
  let size = 0
  const parts = content instanceof Uint8Array ? [content] : signal ? untilAborted(content, signal) : content
  for await (const part of parts) {
    signal?.throwIfAborted()
    for (let offset = 0; offset < part.byteLength; ) {
      offset += (await handle.write(part, offset, part.byteLength - offset)).bytesWritten
    }
    size += part.byteLength
  }
  await handle.sync()
  return size
}

async function* readThrough(handle: FileHandle, { start, end }: ByteRange, signal?: AbortSignal) {
  let position = start
  for (;;) {
    signal?.throwIfAborted()
    const desired = Math.min(chunkBytes, (end ?? Number.MAX_SAFE_INTEGER) - position)
    if (desired <= 0) return
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(desired), 0, desired, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

const readBlocking = (path: string, { start, end }: { start: number; end: number }): Uint8Array => {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.allocUnsafeSlow(Math.max(0, Math.min(end, fstatSync(file).size) - start))
    let filled = 0
    for (let more = 1; more > 0 && filled < buffer.length; filled += more)
      more = readSync(file, buffer, filled, buffer.length - filled, start + filled)
    return buffer.subarray(0, filled)
  } finally {
    closeSync(file)
  }
}

/** The sort key of an entry, which orders by whole keys: `a.b` comes before the files in folder `a`, because `.` comes before `/`. */
const sortKey = (entry: Dirent): string => (entry.isDirectory() ? `${entry.name}/` : entry.name)

const entriesOf = async (folder: string): Promise<Dirent[]> => {
  try {
    return (await readdir(folder, { withFileTypes: true })).toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

const toInfo = (key: string, stats: Stats): FileInfo => ({ key, size: stats.size, modifiedAt: stats.mtime })

export type DirectoryFilesOptions = {
  /**
   * Removes partial writes that a crash left. Only for the one process that owns the directory, when it starts; other processes
   * that open the same directory, such as workers, must not do so.
   */
  recover?: boolean
  /**
   * Reads ranges synchronously. For a dedicated thread that is busy with short tasks: a read from the page cache takes some
   * microseconds, while asynchronous I/O, queued behind those tasks three times per range, takes milliseconds.
   */
  blocking?: boolean
}

/** Partial writes this old, in milliseconds, have lost their writer. */
const staleAfterMilliseconds = 24 * 60 * 60 * 1_000

/** Removes partial writes that are older than a day, from a directory to which others may be writing. */
export const clearStaleWrites = async (root: string, now: number): Promise<void> => {
  const incoming = join(root, temporaryFolder)
  for (const { name } of await entriesOf(incoming)) {
    const path = join(incoming, name)
    try {
      if ((await stat(path)).mtimeMs < now - staleAfterMilliseconds) await rm(path, { force: true })
    } catch (error) {
      // Its writer has just finished.
      if (!isMissing(error)) throw error
    }
  }
}

/**
 * Removes the partial writes of an ended process of this machine, which could not do so itself when it was killed.
 * Only the parent of that process may call this, before the system reuses the pid.
 */
export const removeAbandonedWrites = async (root: string, pid: number): Promise<void> => {
  const incoming = join(root, temporaryFolder)
  for (const { name } of await entriesOf(incoming))
    if (name.startsWith(`${pid}-`)) await rm(join(incoming, name), { force: true })
}

/** Maximum number of attempts to move a file into a folder that others remove at the same time. */
const maxFolderAttempts = 200

/** Moves a file to its place, whose folder is created; a remover of the last file in it may remove it again meanwhile. */
const moveTo = async (temporary: string, target: string): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      await mkdir(dirname(target), { recursive: true })
      await rename(temporary, target)
      return
    } catch (error) {
      // `mkdir` reports ENOTDIR, too, for a folder that another call created and that was removed before it was looked at.
      if (!isMissing(error) || attempt === maxFolderAttempts) throw error
    }
  }
}

/** Removes the folders of a key that are empty, so that they do not add up. */
const removeEmptyFolders = async (root: string, key: string): Promise<void> => {
  for (let folder = dirname(key); folder !== '.'; folder = dirname(folder)) {
    try {
      await rmdir(join(root, folder))
    } catch {
      // It has other files, or cannot be removed: an empty folder does no harm.
      return
    }
  }
}

/** The files port on a directory. Content is written to a temporary file, then renamed to its key. */
export const openDirectoryFiles = async (
  root: string,
  { recover = true, blocking = false }: DirectoryFilesOptions = {},
): Promise<Files> => {
  const incoming = join(root, temporaryFolder)
  if (recover) await rm(incoming, { recursive: true, force: true })
  await mkdir(incoming, { recursive: true })
  const pathOf = (key: string) => join(root, checkKey(key))

  const statKey = async (key: string): Promise<FileInfo | undefined> => {
    try {
      const stats = await stat(pathOf(key))
      return stats.isFile() ? toInfo(key, stats) : undefined
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  const openKey = async (key: string): Promise<FileHandle> => {
    try {
      return await open(pathOf(key), 'r')
    } catch (error) {
      throw isMissing(error) ? missingFile(key) : error
    }
  }

  async function* walk(folder: string, prefix: string): AsyncGenerator<FileInfo> {
    for (const entry of await entriesOf(join(root, folder))) {
      if (entry.name === temporaryFolder && folder === '') continue
      const key = folder === '' ? entry.name : `${folder}/${entry.name}`
      const mayHold = key.startsWith(prefix) || prefix.startsWith(`${key}/`)
      if (!mayHold) continue
      if (entry.isDirectory()) yield* walk(key, prefix)
      else if (key.startsWith(prefix)) {
        const info = await statKey(key)
        if (info) yield info
      }
    }
  }

  return {
    write: async (key, content, signal) => {
      const target = pathOf(key)
      const temporary = join(incoming, `${process.pid}-${randomUUID()}`)
      const handle = await open(temporary, 'wx')
      try {
        const size = await writeAll(handle, content, signal)
        await handle.close()
        await moveTo(temporary, target)
        await syncFolder(dirname(target))
        return { size }
      } catch (error) {
        await handle.close().catch(() => undefined)
        await rm(temporary, { force: true })
        throw error
      }
    },
    async *read(key, range = { start: 0 }, signal) {
      await using handle = await openKey(key)
      yield* readThrough(handle, range, signal)
    },
    readRange: async (key, { start, end }) => {
      if (blocking) {
        try {
          return readBlocking(pathOf(key), { start, end })
        } catch (error) {
          throw isMissing(error) ? missingFile(key) : error
        }
      }
      await using handle = await openKey(key)
      const parts: Uint8Array[] = []
      for await (const part of readThrough(handle, { start, end })) parts.push(part)
      const [first] = parts
      return parts.length === 1 && first ? first : Buffer.concat(parts)
    },
    stat: statKey,
    list: (prefix) => walk('', prefix),
    remove: async (key) => {
      try {
        await unlink(pathOf(key))
      } catch (error) {
        if (!isMissing(error)) throw error
      }
      await removeEmptyFolders(root, key)
    },
  }
}
