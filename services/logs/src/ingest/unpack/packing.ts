import { isNoText } from '../../formats/binary-bytes.ts'
import { utf16Of } from './utf16.ts'

/**
 * How bytes are packed, detected by their first bytes, never by a file name. `zeros` contains zero bytes, as binaries do and texts with a
 * hole; `binary` is not text in any encoding.
 */
export type Packing = 'plain' | 'utf16le' | 'utf16be' | 'zeros' | 'binary' | Compression | Archive | Unreadable
export type Compression = 'gzip' | 'zstd'
export type Archive = 'zip' | 'tar'
/** Formats that are recognized only for a better error message; they are not supported. */
export type Unreadable = 'bzip2' | 'xz' | '7z' | 'rar' | 'lz4' | 'compress'

/** The number of bytes that are inspected: enough that binary content does not look like text by chance. */
export const sniffedBytes = 4_096
const tarBlockBytes = 512

const magics: readonly (readonly [Packing, readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  // An empty archive has only its end record; a split archive begins with its own signature.
  ['zip', [0x50, 0x4b, 0x05, 0x06]],
  ['zip', [0x50, 0x4b, 0x07, 0x08]],
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
  ['7z', [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]],
  ['rar', [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07]],
  ['lz4', [0x04, 0x22, 0x4d, 0x18]],
  ['compress', [0x1f, 0x9d]],
  // A journal export, whose fields may contain any bytes.
  ['plain', [...Buffer.from('__CURSOR=')]],
  ['plain', [...Buffer.from('__REALTIME_TIMESTAMP=')]],
  ['utf16le', [0xff, 0xfe]],
  ['utf16be', [0xfe, 0xff]],
]

const startsWith = (bytes: Uint8Array, magic: readonly number[]) => magic.every((byte, index) => bytes[index] === byte)

/** A zstd file may begin with skippable frames, which have sixteen magic numbers (RFC 8878, 3.1.2). */
const isSkippableFrame = (bytes: Uint8Array) =>
  ((bytes[0] ?? 0) & 0xf0) === 0x50 && startsWith(bytes.subarray(1), [0x2a, 0x4d, 0x18])

const checksumAt = 148
const checksumLength = 8

/** Every tar header, old or new, contains the sum of its bytes, computed with spaces in place of the sum. */
const isTarHeader = (bytes: Uint8Array): boolean => {
  if (bytes.length < tarBlockBytes) return false
  const written = Buffer.from(bytes.subarray(checksumAt, checksumAt + checksumLength)).toString('latin1')
  if (!/^ *[0-7]+[\0 ]*$/.test(written)) return false
  const expected = Number.parseInt(written.trim(), 8)
  let sum = 32 * checksumLength
  for (let at = 0; at < tarBlockBytes; at++) {
    if (at < checksumAt || at >= checksumAt + checksumLength) sum += bytes[at] ?? 0
  }
  return sum === expected
}

/** Detects how a file is packed by its first `sniffedBytes` bytes, or all of them if it is shorter. */
export const packingOf = (start: Uint8Array): Packing => {
  const known = magics.find(([, magic]) => startsWith(start, magic))
  if (known) return known[0]
  if (isSkippableFrame(start)) return 'zstd'
  const head = start.subarray(0, tarBlockBytes)
  // A tar archive without files consists of zeros.
  if (isTarHeader(head) || (head.length === tarBlockBytes && head.every((byte) => byte === 0))) return 'tar'
  const unmarked = utf16Of(start)
  if (unmarked) return unmarked
  if (isNoText(start)) return 'binary'
  return head.includes(0) ? 'zeros' : 'plain'
}

export const isCompression = (packing: Packing): packing is Compression => packing === 'gzip' || packing === 'zstd'
export const isArchive = (packing: Packing): packing is Archive => packing === 'zip' || packing === 'tar'

const unreadable: readonly Packing[] = ['bzip2', 'xz', '7z', 'rar', 'lz4', 'compress']
export const isUnreadable = (packing: Packing): packing is Unreadable => unreadable.includes(packing)
