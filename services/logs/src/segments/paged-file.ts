import { crc32 } from 'node:zlib'
import type { Files } from '@trellis/kit/files'
import { releaseBuffer } from '../release-buffers.ts'
import type { CacheShelf } from './byte-cache.ts'
import { pageBytes, SegmentCorrupt } from './segment-layout.ts'

/** The body of a segment, read in whole pages whose checksums are verified. */
export type PagedFile = {
  /** Reads bytes through the page cache. */
  read: (offset: number, bytes: number) => Promise<Uint8Array>
  /** Decodes bytes that are freed afterwards, without caching their pages; for results that are cached themselves. */
  readOnce: <Made>(offset: number, bytes: number, make: (bytes: Uint8Array) => Made) => Promise<Made>
}

export type PagedFileOptions = {
  files: Pick<Files, 'readRange'>
  key: string
  cache: CacheShelf
  bodyBytes: number
  pageChecksums: readonly number[]
}

export const createPagedFile = ({ files, key, cache, bodyBytes, pageChecksums }: PagedFileOptions): PagedFile => {
  /** Fetches a range of pages and verifies them. */
  const fetchPages = async (first: number, last: number, isCached: boolean): Promise<Uint8Array> => {
    const start = first * pageBytes
    const end = Math.min(bodyBytes, (last + 1) * pageBytes)
    const bytes = await files.readRange(key, { start, end })
    if (bytes.length !== end - start) throw new SegmentCorrupt(key, 'its file is truncated')
    for (let page = first; page <= last; page++) {
      const content = bytes.subarray(page * pageBytes - start, Math.min(bytes.length, (page + 1) * pageBytes - start))
      if (crc32(content) !== pageChecksums[page]) {
        throw new SegmentCorrupt(key, `the page from byte ${page * pageBytes} fails its checksum`)
      }
      if (isCached) cache.set(page, content, content.length)
    }
    return bytes
  }
  /** A range of pages. The missing ones are fetched in one read with everything between them, as one piece. */
  const piecesBetween = async (first: number, last: number, isCached: boolean): Promise<Pieces> => {
    const pages: (Uint8Array | undefined)[] = []
    for (let page = first; page <= last; page++) pages.push(cache.get<Uint8Array>(page))
    const firstMissing = pages.indexOf(undefined)
    const lastMissing = pages.lastIndexOf(undefined)
    if (firstMissing < 0) return { pieces: pages.filter((page) => page !== undefined) }
    const fetched = await fetchPages(first + firstMissing, first + lastMissing, isCached)
    pages.splice(firstMissing, lastMissing - firstMissing + 1, fetched)
    return { pieces: pages.filter((page) => page !== undefined), fetched }
  }
  const locate = (offset: number, bytes: number) => {
    const first = Math.floor(offset / pageBytes)
    const start = offset - first * pageBytes
    return { first, last: Math.floor((offset + bytes - 1) / pageBytes), start, end: start + bytes }
  }

  return {
    async read(offset, bytes) {
      if (bytes === 0) return new Uint8Array(0)
      const { first, last, start, end } = locate(offset, bytes)
      const { pieces } = await piecesBetween(first, last, true)
      return joined(pieces).subarray(start, end)
    },
    async readOnce(offset, bytes, make) {
      if (bytes === 0) return make(new Uint8Array(0))
      const { first, last, start, end } = locate(offset, bytes)
      const { pieces, fetched } = await piecesBetween(first, last, false)
      const whole = joined(pieces)
      const made = make(whole.subarray(start, end))
      if (fetched) releaseBuffer(fetched)
      if (pieces.length > 1) releaseBuffer(whole)
      return made
    },
  }
}

/** `fetched` is the piece that was fetched. */
type Pieces = { pieces: Uint8Array[]; fetched?: Uint8Array }

const joined = (pieces: Uint8Array[]): Uint8Array => {
  const [only] = pieces
  return pieces.length === 1 && only ? only : Buffer.concat(pieces)
}
