import { crc32, deflateRawSync, zstdCompressSync } from 'node:zlib'
import { type Header, pack } from 'tar-stream'

type TarFile = Partial<Header> & { name: string; content?: string | Buffer }

/** A tar archive as its bytes. */
export const tarOf = async (files: readonly TarFile[]): Promise<Buffer> => {
  const archive = pack()
  for (const { content = '', ...header } of files) archive.entry(header, content)
  archive.finalize()
  const parts: Uint8Array[] = []
  for await (const part of archive) if (part instanceof Uint8Array) parts.push(part)
  return Buffer.concat(parts)
}

type ZipFile = {
  name: string
  content?: string | Buffer
  method?: 'stored' | 'deflate' | 'zstd' | 'bzip2'
  isEncrypted?: boolean
  /** Unix file mode: 0o120777 is a link. */
  mode?: number
  /** The uncompressed size that the headers state instead of the true one. */
  claims?: number
  /** Writes sizes and the offset in the extra field of ZIP64. */
  isZip64?: boolean
  /** The index of the file whose data this one shares. */
  liesAt?: number
  /** Writes a wrong checksum. */
  isWrong?: boolean
}

const methods = { stored: 0, deflate: 8, zstd: 93, bzip2: 12 }
const unknown32 = 0xffffffff

const packed = (content: Buffer, method: ZipFile['method'] = 'deflate'): Buffer => {
  if (method === 'deflate') return deflateRawSync(content)
  return method === 'zstd' ? zstdCompressSync(content) : content
}

const words = (...values: readonly [size: 2 | 4 | 8, value: number][]): Buffer => {
  const bytes = Buffer.alloc(values.reduce((sum, [size]) => sum + size, 0))
  let at = 0
  for (const [size, value] of values) {
    if (size === 8) bytes.writeBigUInt64LE(BigInt(value), at)
    else bytes.writeUIntLE(value >>> 0, at, size)
    at += size
  }
  return bytes
}

/** A zip archive as its bytes (APPNOTE 4.3), valid or malicious. */
export const zipOf = (files: readonly ZipFile[]): Buffer => {
  const parts: Buffer[] = []
  const offsets: number[] = []
  let size = 0
  const add = (part: Buffer) => {
    parts.push(part)
    size += part.length
  }
  const central: Buffer[] = []
  for (const file of files) {
    const content = Buffer.from(file.content ?? '')
    const data = packed(content, file.method)
    const name = Buffer.from(file.name)
    const sum = file.isWrong === true ? 7 : crc32(content)
    const claimed = file.claims ?? content.length
    const common = (isLocal: boolean) =>
      words(
        [2, file.isZip64 === true ? 45 : 20],
        [2, file.isEncrypted === true ? 0x801 : 0x800],
        [2, methods[file.method ?? 'deflate']],
        [4, 0],
        [4, sum],
        [4, file.isZip64 === true ? unknown32 : data.length],
        [4, file.isZip64 === true ? unknown32 : claimed],
        [2, name.length],
        [2, file.isZip64 === true && !isLocal ? 28 : 0],
      )
    const offset = file.liesAt === undefined ? size : (offsets[file.liesAt] ?? 0)
    offsets.push(offset)
    if (file.liesAt === undefined) {
      add(Buffer.concat([words([4, 0x04034b50]), common(true), name]))
      add(data)
    }
    const extra = words([2, 1], [2, 24], [8, claimed], [8, data.length], [8, offset])
    central.push(
      Buffer.concat([
        words([4, 0x02014b50], [2, 0x031e]),
        common(false),
        words([2, 0], [2, 0], [2, 0], [4, (file.mode ?? 0o100644) * 65_536]),
        words([4, file.isZip64 === true ? unknown32 : offset]),
        name,
        ...(file.isZip64 === true ? [extra] : []),
      ]),
    )
  }
  const start = size
  for (const header of central) add(header)
  const length = size - start
  const isZip64 = files.some((file) => file.isZip64 === true)
  if (isZip64) {
    const at = size
    const many = files.length
    add(
      words([4, 0x06064b50], [8, 44], [2, 45], [2, 45], [4, 0], [4, 0], [8, many], [8, many], [8, length], [8, start]),
    )
    add(words([4, 0x07064b50], [4, 0], [8, at], [4, 1]))
  }
  const count = isZip64 ? 0xffff : files.length
  add(
    words(
      [4, 0x06054b50],
      [2, 0],
      [2, 0],
      [2, count],
      [2, count],
      [4, length],
      [4, isZip64 ? unknown32 : start],
      [2, 0],
    ),
  )
  return Buffer.concat(parts)
}
