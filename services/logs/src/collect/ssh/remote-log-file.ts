import type { FileStamp } from '../files/file-position.ts'
import type { OpenFile } from '../files/log-file.ts'
import type { RemoteEntry, RemoteFiles } from './remote-files.ts'

/** SFTP has no inodes: a file is identified by its path, and by its bytes when that changes. */
export const remoteStamp = (
  path: string,
  { size, modifiedAt }: Pick<RemoteEntry, 'size' | 'modifiedAt'>,
): FileStamp => ({
  device: 'ssh',
  inode: path,
  size,
  modified: String(BigInt(Math.trunc(modifiedAt)) * 1_000_000_000n),
  // Never equals the empty value of a position that must be inspected again.
  changed: '0',
})

/** The maximum size of reads that are separate from sequential reading, such as a file's first bytes. */
const excerptBytes = 64 * 1024

type Reading = { chunks: AsyncIterator<Buffer>; position: number; left: Uint8Array }

/** Fills a buffer from chunks, until they end. */
const fill = async (buffer: Uint8Array, reading: Reading): Promise<number> => {
  let filled = 0
  while (filled < buffer.length) {
    if (reading.left.length === 0) {
      const next = await reading.chunks.next()
      if (next.done) break
      reading.left = next.value
    }
    const part = reading.left.subarray(0, buffer.length - filled)
    buffer.set(part, filled)
    reading.left = reading.left.subarray(part.length)
    filled += part.length
  }
  reading.position += filled
  return filled
}

/**
 * Opens files of a remote host as logs. Sequential reading is one transfer with several concurrent requests; any other read is a short transfer
 * of its own.
 */
export const openRemoteFile =
  (files: RemoteFiles, signal: AbortSignal): OpenFile =>
  async (path) => {
    let reading: Reading | undefined
    const begin = (start: number, end?: number): Reading => ({
      chunks: files.read(path, { start, ...(end !== undefined && { end }) }, signal)[Symbol.asyncIterator](),
      position: start,
      left: new Uint8Array(0),
    })
    const leave = async () => {
      const left = reading
      reading = undefined
      await left?.chunks.return?.()
    }
    return {
      read: async (buffer, position) => {
        if (reading?.position !== position && buffer.length <= excerptBytes) {
          const excerpt = begin(position, position + buffer.length)
          try {
            return await fill(buffer, excerpt)
          } finally {
            await excerpt.chunks.return?.()
          }
        }
        if (reading?.position !== position) {
          await leave()
          reading = begin(position)
        }
        const filled = await fill(buffer, reading)
        if (filled < buffer.length) await leave()
        return filled
      },
      stamp: async () => remoteStamp(path, await files.stat(path, signal)),
      stream: () => files.read(path, { start: 0 }, signal),
      [Symbol.asyncDispose]: leave,
    }
  }
