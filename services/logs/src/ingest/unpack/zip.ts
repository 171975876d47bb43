import { crc32 } from 'node:zlib'
import { serviceError } from '@trellis/kit/errors'
import { type Entry, fromFdPromise, getFileNameLowLevel, type ZipFile } from 'yauzl'
import { type Decompressor, decompress } from './decompress.ts'
import type { FileExpansion } from './expansion.ts'
import { type Member, maxMembers, modifiedAt, safePath } from './member.ts'
import type { Chunks } from './peeked.ts'
import type { Spooled } from './spool.ts'

const stored = 0
/** Compression methods by number (APPNOTE 4.4.5). */
const methods: Record<number, Decompressor> = { 8: 'deflate', 93: 'zstd' }

/** The size of a local header without its name and extra field (APPNOTE 4.3.7). */
const localHeaderBytes = 30
const fileTypeBits = 0o170000
const regularFile = 0o100000

const damaged = (detail: string, cause?: unknown) => serviceError('malformed', `The zip archive ${detail}.`, { cause })

const openZip = async (file: Spooled): Promise<ZipFile> => {
  try {
    return await fromFdPromise(file.handle.fd, { autoClose: false, decodeStrings: false })
  } catch (cause) {
    throw damaged('is truncated or damaged: its list of files cannot be read', cause)
  }
}

const readEntries = async (zip: ZipFile): Promise<Entry[]> => {
  const tooMany = () => serviceError('too_large', `An archive may have ${maxMembers} files. Send it in parts.`)
  if (zip.entryCount > maxMembers) throw tooMany()
  const entries: Entry[] = []
  try {
    for await (const entry of zip.eachEntry()) entries.push(entry)
  } catch (cause) {
    throw damaged('is damaged: its list of files cannot be read completely', cause)
  }
  return entries
}

/** Files that share their bytes let a small archive expand to a huge size (David Fifield, "A better zip bomb"). */
const refuseOverlaps = (entries: readonly Entry[]): void => {
  let end = 0
  for (const entry of entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)) {
    if (entry.relativeOffsetOfLocalHeader < end) throw damaged('has files that overlap, and is rejected')
    end = entry.relativeOffsetOfLocalHeader + localHeaderBytes + entry.fileNameLength + entry.compressedSize
  }
}

const nameOf = (entry: Entry): string =>
  getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false)

/** Why a file is not read; undefined for a readable file. Only archives made on Unix state the type of a file. */
const reasonToSkip = (entry: Entry): string | undefined => {
  if (entry.isEncrypted()) return 'is encrypted'
  const type = (entry.externalFileAttributes >>> 16) & fileTypeBits
  if (type !== 0 && type !== regularFile) return 'is a link or a device'
  const { compressionMethod } = entry
  if (compressionMethod !== stored && methods[compressionMethod] === undefined)
    return `is compressed with a method that is not supported (method ${compressionMethod})`
  return undefined
}

/** The content of a file, checked against the size and the checksum in the archive's list. */
async function* contentOf(zip: ZipFile, entry: Entry, expansion: FileExpansion): AsyncGenerator<Uint8Array> {
  const raw = await zip.openReadStreamPromise(entry, { decodeFileData: false }).catch((cause: unknown) => {
    throw damaged('is damaged', cause)
  })
  try {
    const method = methods[entry.compressionMethod]
    let size = 0
    let sum = 0
    const content: Chunks = method === undefined ? raw : decompress(method, raw, expansion)
    for await (const chunk of content) {
      size += chunk.length
      if (size > entry.uncompressedSize) throw damaged('is damaged: a file is longer than its stated size')
      sum = crc32(chunk, sum)
      yield chunk
    }
    if (size !== entry.uncompressedSize || sum !== entry.crc32)
      throw damaged('is damaged: a file has a wrong size or checksum')
  } finally {
    raw.destroy()
  }
}

/**
 * The files of a zip archive. Its list is at its end, so the whole archive is required. Throws `malformed` for an archive that is damaged or
 * whose files overlap, `too_large` if its stated sizes exceed the limit; both before anything is read.
 */
export async function* zipMembers(file: Spooled, expansion: FileExpansion): AsyncGenerator<Member> {
  const zip = await openZip(file)
  const entries = await readEntries(zip)
  refuseOverlaps(entries)
  expansion.wouldExpand(entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0))
  for (const entry of entries) {
    const name = nameOf(entry)
    if (name.endsWith('/')) continue
    const path = safePath(name)
    const skipped = reasonToSkip(entry)
    if (skipped !== undefined) yield { path, skipped }
    else yield { path, content: contentOf(zip, entry, expansion), modified: modifiedAt(entry.getLastModDate()) }
  }
}
