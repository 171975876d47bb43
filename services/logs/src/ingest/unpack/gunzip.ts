import { crc32, createInflateRaw } from 'node:zlib'
import type { Chunks } from './peeked.ts'
import { throughDecompressor } from './through-decompressor.ts'

const chunkSize = 128 * 1024
/** A header whose name or comment is longer is treated as damaged. */
const maxHeaderBytes = 128 * 1024
const trailerBytes = 8
/** The first `freeMembers` members may have any size; with more of them, they have at least `minMemberBytes` on average. Each costs a decompressor. */
const freeMembers = 1_000
const minMemberBytes = 32

const flag = { checksum: 2, extra: 4, name: 8, comment: 16 }

/** An error as zlib reports it. */
const broken = (message: string, code: 'Z_DATA_ERROR' | 'Z_BUF_ERROR') => Object.assign(new Error(message), { code })

/** The length of a member's header (RFC 1952, 2.3), if these bytes contain all of it. */
const headerLength = (bytes: Buffer): number | undefined => {
  if (bytes.length < 10) return undefined
  const flags = bytes[3] ?? 0
  let at = 10
  if (flags & flag.extra) {
    if (bytes.length < at + 2) return undefined
    at += 2 + bytes.readUInt16LE(at)
  }
  for (const text of [flag.name, flag.comment]) {
    if (!(flags & text)) continue
    const end = bytes.indexOf(0, at)
    if (end < 0) return undefined
    at = end + 1
  }
  if (flags & flag.checksum) at += 2
  return at <= bytes.length ? at : undefined
}

/** Whether a member begins here. Deflate is the only method that gzip has. */
const beginsMember = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8

/** A reader over chunks with lookahead: bytes that were put back come first. */
const createBytes = (packed: Chunks) => {
  const iterator = packed[Symbol.asyncIterator]()
  let ahead: Buffer = Buffer.alloc(0)
  const more = async (): Promise<boolean> => {
    const next = await iterator.next()
    if (next.done) return false
    ahead = ahead.length === 0 ? Buffer.from(next.value) : Buffer.concat([ahead, next.value])
    return true
  }
  return {
    close: async () => {
      await iterator.return?.()
    },
    /** At least `length` bytes, fewer at the end of the data. */
    atLeast: async (length: number): Promise<Buffer> => {
      while (ahead.length < length) if (!(await more())) break
      return ahead
    },
    skip: (length: number) => {
      ahead = ahead.subarray(length)
    },
    putBack: (rest: Uint8Array) => {
      ahead = Buffer.from(rest.buffer, rest.byteOffset, rest.byteLength)
    },
    async *chunks(): AsyncGenerator<Uint8Array> {
      do {
        const buffered = ahead
        ahead = Buffer.alloc(0)
        if (buffered.length > 0) yield buffered
      } while (await more())
    },
  }
}
type Bytes = ReturnType<typeof createBytes>

const skipHeader = async (bytes: Bytes): Promise<void> => {
  for (let required = 10; ; ) {
    const start = await bytes.atLeast(required)
    const length = headerLength(start)
    if (length !== undefined) return bytes.skip(length)
    if (start.length < required) throw broken('unexpected end of file', 'Z_BUF_ERROR')
    if (start.length > maxHeaderBytes) throw broken('the header has no end', 'Z_DATA_ERROR')
    required = start.length + 1
  }
}

async function* memberContent(bytes: Bytes): AsyncGenerator<Uint8Array> {
  let checksum = 0
  let size = 0
  for await (const chunk of throughDecompressor(createInflateRaw({ chunkSize }), bytes.chunks(), bytes.putBack)) {
    checksum = crc32(chunk, checksum)
    size += chunk.length
    yield chunk
  }
  const trailer = await bytes.atLeast(trailerBytes)
  if (trailer.length < trailerBytes) throw broken('unexpected end of file', 'Z_BUF_ERROR')
  if (trailer.readUInt32LE(0) !== checksum) throw broken('incorrect data check', 'Z_DATA_ERROR')
  if (trailer.readUInt32LE(4) !== size % 2 ** 32) throw broken('incorrect length check', 'Z_DATA_ERROR')
  bytes.skip(trailerBytes)
}

/**
 * Decompresses all members of gzip data, one after the other. Trailing bytes that are not a member, such as the padding of a tape, are ignored,
 * as gunzip does; the decompressor of the engine would also discard what it had decompressed before them. Errors have zlib's codes and are
 * thrown after the content before them.
 */
export async function* gunzip(packed: Chunks): AsyncGenerator<Uint8Array> {
  const bytes = createBytes(packed)
  let total = 0
  try {
    for (let members = 0; ; members += 1) {
      const start = await bytes.atLeast(3)
      if (!beginsMember(start)) {
        if (members === 0) throw broken('incorrect header check', 'Z_DATA_ERROR')
        return
      }
      if (members > freeMembers && total < members * minMemberBytes)
        throw broken('too many members with hardly any content', 'Z_DATA_ERROR')
      await skipHeader(bytes)
      for await (const chunk of memberContent(bytes)) {
        total += chunk.length
        yield chunk
      }
    }
  } finally {
    await bytes.close()
  }
}
