import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { serviceError } from '@trellis/kit/errors'
import { gatherChunks } from '../gather-chunks.ts'
import type { Chunks } from './peeked.ts'

/** An unnamed file that is deleted when it is disposed or the process ends. */
export type Spooled = AsyncDisposable & { handle: FileHandle; size: number }

/** Temporary disk space for archives that cannot be read as a stream. */
export type Spool = {
  /** Writes the content to a file; throws `unavailable` if there is not enough space. */
  keep: (content: Chunks) => Promise<Spooled>
  heldBytes: () => number
}

const retryAfterSeconds = 30
const writeBytes = 256 * 1024

const outOfSpace = (cause?: unknown) =>
  serviceError('unavailable', 'There is not enough disk space for the archive at the moment. Send it again later.', {
    retryAfterSeconds,
    cause,
  })

const isFull = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')

/** Files in `directory` of at most `maxBytes` in total. They are unlinked as soon as they are open, so that none remains even after a kill. */
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
      const release = async () => {
        held -= size
        size = 0
        await handle.close()
      }
      try {
        for await (const chunk of gatherChunks(content, writeBytes)) {
          if (held + chunk.length > maxBytes) throw outOfSpace()
          held += chunk.length
          size += chunk.length
          await handle.writeFile(chunk)
        }
      } catch (error) {
        await release()
        throw isFull(error) ? outOfSpace(error) : error
      }
      return { handle, size, [Symbol.asyncDispose]: release }
    },
  }
}
