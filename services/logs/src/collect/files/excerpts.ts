import { hash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { gunzip } from '../../ingest/unpack/gunzip.ts'
import { type Excerpt, type FilePosition, noExcerpt } from './file-position.ts'
import type { LogFile, OpenFile } from './log-file.ts'
import type { Packing } from './log-names.ts'

/** The number of bytes at the start of a file, and before a position in it, that identify it. */
export const excerptBytes = 1_024

/** Up to `bytes` bytes of a file. */
export const bytesAt = async (file: LogFile, start: number, bytes: number): Promise<Uint8Array<ArrayBuffer>> => {
  const buffer = new Uint8Array(bytes)
  return buffer.slice(0, await file.read(buffer, start))
}

export const digestOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex')

/** The digest of a range of a file; undefined if the file is shorter. */
const digestAt = async (file: LogFile, start: number, bytes: number): Promise<string | undefined> => {
  const buffer = new Uint8Array(bytes)
  return (await file.read(buffer, start)) === bytes ? digestOf(buffer) : undefined
}

/** The excerpt at the start of a file that is about to be read; empty if it cannot be read. */
export const startOf = async (path: string, open: OpenFile): Promise<Excerpt> => {
  try {
    await using file = await open(path)
    const head = await bytesAt(file, 0, excerptBytes)
    return { bytes: head.length, digest: digestOf(head) }
  } catch {
    return noExcerpt
  }
}

/** Computes excerpts of consecutive bytes: the first, and those before the end. */
export const createExcerpts = () => {
  let head = Buffer.alloc(0)
  let tail = Buffer.alloc(0)
  return {
    add: (bytes: Uint8Array) => {
      if (head.length < excerptBytes) head = Buffer.concat([head, bytes.subarray(0, excerptBytes - head.length)])
      tail =
        bytes.length >= excerptBytes
          ? Buffer.from(bytes.subarray(bytes.length - excerptBytes))
          : Buffer.concat([tail.subarray(Math.max(0, tail.length + bytes.length - excerptBytes)), bytes])
    },
    head: (): Excerpt => ({ bytes: head.length, digest: digestOf(head) }),
    tail: (): Excerpt => ({ bytes: tail.length, digest: digestOf(tail) }),
  }
}

async function* unzstd(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const unpacker = createZstdDecompress()
  // An error destroys the decompressor, whose reader throws it.
  const feeding = pipeline(packed, unpacker).catch(() => undefined)
  try {
    yield* unpacker as AsyncIterable<Buffer>
  } finally {
    unpacker.destroy()
    await feeding
  }
}

/** The content of a compressed file as a stream. Ends with an error of zlib if it is truncated. */
export async function* unpacked(
  path: string,
  packing: Exclude<Packing, 'plain'>,
  open: OpenFile,
): AsyncGenerator<Uint8Array> {
  await using file = await open(path)
  const packed = file.stream()
  if (packing === 'gzip') yield* gunzip(packed)
  else yield* unzstd(packed)
}

const holdsPlain = async (path: string, { head, tail, offset }: FilePosition, open: OpenFile): Promise<boolean> => {
  await using file = await open(path)
  if ((await digestAt(file, 0, head.bytes)) !== head.digest) return false
  return tail.bytes === 0 || (await digestAt(file, offset - tail.bytes, tail.bytes)) === tail.digest
}

const holdsPacked = async (
  path: string,
  packing: Exclude<Packing, 'plain'>,
  position: FilePosition,
  open: OpenFile,
): Promise<boolean> => {
  const excerpts = createExcerpts()
  let start: Buffer = Buffer.alloc(0)
  let at = 0
  for await (const chunk of unpacked(path, packing, open)) {
    if (start.length < position.head.bytes) {
      start = Buffer.concat([start, chunk.subarray(0, position.head.bytes - start.length)])
      if (start.length === position.head.bytes && digestOf(start) !== position.head.digest) return false
    }
    excerpts.add(chunk.subarray(0, Math.max(0, position.offset - at)))
    at += chunk.length
    if (at >= Math.max(position.offset, position.head.bytes)) break
  }
  if (at < position.offset || at < position.head.bytes) return false
  return position.tail.bytes === 0 || excerpts.tail().digest === position.tail.digest
}

/** Whether a file contains, up to a position in it, what was read there. False for a file that cannot be read up to there. */
export const holds = async (
  path: string,
  packing: Packing,
  position: FilePosition,
  open: OpenFile,
): Promise<boolean> => {
  if (position.isBinary) return false
  try {
    return packing === 'plain'
      ? await holdsPlain(path, position, open)
      : await holdsPacked(path, packing, position, open)
  } catch {
    return false
  }
}

/** Whether the first and the last bytes of a file of some size are at the same offsets of another. False if either cannot be read. */
export const isStartOf = async (path: string, size: number, otherPath: string, open: OpenFile): Promise<boolean> => {
  try {
    await using file = await open(path)
    await using other = await open(otherPath)
    const bytes = Math.min(excerptBytes, size)
    for (const start of [0, size - bytes]) {
      const digest = await digestAt(file, start, bytes)
      if (digest === undefined || digest !== (await digestAt(other, start, bytes))) return false
    }
    return true
  } catch {
    return false
  }
}
