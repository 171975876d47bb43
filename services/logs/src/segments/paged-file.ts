import { crc32 } from 'node:zlib'
import type { Files } from '@trellis/kit/files'
import type { CacheShelf } from './byte-cache.ts'
import { pageBytes, SegmentCorrupt } from './segment-layout.ts'

/**
 * The body of a segment, read by whole pages that are checked when they come from the store and kept while there is room, but where what is
 * made of them is kept instead.
 */
export type PagedFile = {
  read: (offset: number, bytes: number, options?: { isKept?: boolean }) => Promise<Uint8Array>
}

export type PagedFileOptions = {
  files: Pick<Files, 'readRange'>
  key: string
  cache: CacheShelf
  bodyBytes: number
  pageChecksums: readonly number[]
}

export const createPagedFile = ({ files, key, cache, bodyBytes, pageChecksums }: PagedFileOptions): PagedFile => {
  const fetchPages = async (first: number, last: number, isKept: boolean): Promise<Uint8Array[]> => {
    const start = first * pageBytes
    const end = Math.min(bodyBytes, (last + 1) * pageBytes)
    const bytes = await files.readRange(key, { start, end })
    if (bytes.length !== end - start) throw new SegmentCorrupt(key, 'it is shorter than it was written')
    const pages: Uint8Array[] = []
    for (let page = first; page <= last; page++) {
      const content = bytes.subarray(page * pageBytes - start, Math.min(bytes.length, (page + 1) * pageBytes - start))
      if (crc32(content) !== pageChecksums[page]) {
        throw new SegmentCorrupt(key, `the page from byte ${page * pageBytes} does not check`)
      }
      if (isKept) cache.set(page, content, content.length)
      pages.push(content)
    }
    return pages
  }
  /** Pages that are missing are fetched with all between them in one read. */
  const pagesBetween = async (first: number, last: number, isKept: boolean): Promise<Uint8Array[]> => {
    const pages: (Uint8Array | undefined)[] = []
    for (let page = first; page <= last; page++) pages.push(cache.get<Uint8Array>(page))
    const firstMissing = pages.indexOf(undefined)
    if (firstMissing < 0) return pages.filter((page) => page !== undefined)
    const lastMissing = pages.lastIndexOf(undefined)
    const fetched = await fetchPages(first + firstMissing, first + lastMissing, isKept)
    return [...pages.slice(0, firstMissing), ...fetched, ...pages.slice(lastMissing + 1)].filter(
      (page) => page !== undefined,
    )
  }

  return {
    async read(offset, bytes, { isKept = true } = {}) {
      if (bytes === 0) return new Uint8Array(0)
      const first = Math.floor(offset / pageBytes)
      const last = Math.floor((offset + bytes - 1) / pageBytes)
      const pages = await pagesBetween(first, last, isKept)
      const [only] = pages
      const start = offset - first * pageBytes
      return pages.length === 1 && only
        ? only.subarray(start, start + bytes)
        : Buffer.concat(pages).subarray(start, start + bytes)
    },
  }
}
