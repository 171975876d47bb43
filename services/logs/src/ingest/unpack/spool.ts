import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { serviceError } from '@trellis/kit/errors'
import { gatherChunks } from '../gather-chunks.ts'
import type { Chunks } from './peeked.ts'

/** A file of this process alone, gone with it or when it is disposed. */
export type Spooled = AsyncDisposable & { handle: FileHandle; size: number }

/** Room on the disk for what cannot be read as it comes. */
export type Spool = {
  /** Writes all of it to a file; throws `unavailable` where there is no room. */
  keep: (content: Chunks) => Promise<Spooled>
  heldBytes: () => number
}

const retryAfterSeconds = 30
const writeBytes = 256 * 1024

const noRoom = (cause?: unknown) =>
  serviceError('unavailable', 'There is no room on the disk for the archive at the moment. Send it again later.', {
    retryAfterSeconds,
    cause,
  })

const isFull = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')

/** Files in `directory`, no more than `maxBytes` at a time. Their names are removed as soon as they are open, so that not even a kill leaves one. */
export const createSpool = ({ directory, maxBytes }: { directory: string; maxBytes: number }): Spool => {
  let held = 0
  const openUnnamed = async (): Promise<FileHandle> => {
    await mkdir(directory, { recursive: true })
    const path = join(directory, `${randomUUID()}.tmp`)
    const handle = await open(path, 'wx+', 0o600)
    await unlink(path)
    return handle
  }
  return {
    heldBytes: () => held,
    keep: async (content) => {
      const handle = await openUnnamed()
      let size = 0
      const letGo = async () => {
        held -= size
        size = 0
        await handle.close()
      }
      try {
        for await (const chunk of gatherChunks(content, writeBytes)) {
          if (held + chunk.length > maxBytes) throw noRoom()
          held += chunk.length
          size += chunk.length
          await handle.writeFile(chunk)
        }
      } catch (error) {
        await letGo()
        throw isFull(error) ? noRoom(error) : error
      }
      return { handle, size, [Symbol.asyncDispose]: letGo }
    },
  }
}
