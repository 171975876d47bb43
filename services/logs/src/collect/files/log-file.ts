import type { FileHandle } from 'node:fs/promises'
import { type FileStamp, stampOf } from './file-position.ts'

/** An open local or remote file, with the operations that reading a log needs. */
export type LogFile = AsyncDisposable & {
  /** Fills a buffer from a position on; resolves to the number of bytes, which is smaller at the end of the file. */
  read: (buffer: Uint8Array, position: number) => Promise<number>
  stamp: () => Promise<FileStamp>
  /** All bytes, in order. */
  stream: () => AsyncIterable<Uint8Array>
}

/** Opens a file that may be read; see `LocalAccess`. */
export type OpenFile = (path: string) => Promise<LogFile>

const readFully = async (file: FileHandle, buffer: Uint8Array, position: number): Promise<number> => {
  let filled = 0
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}

/** Opens files of this machine as logs. */
export const openLocalFile =
  (open: (path: string) => Promise<FileHandle>): OpenFile =>
  async (path) => {
    const file = await open(path)
    return {
      read: (buffer, position) => readFully(file, buffer, position),
      stamp: async () => stampOf(await file.stat({ bigint: true })),
      stream: () => file.createReadStream({ autoClose: false, start: 0 }),
      [Symbol.asyncDispose]: () => file.close(),
    }
  }
