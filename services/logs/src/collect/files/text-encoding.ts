import { packingOf, sniffedBytes } from '../../ingest/unpack/packing.ts'

/** How the text of a file is encoded and how its lines end, so that reading can continue from any line. */
export type TextEncoding = {
  /** Every line begins at a multiple of this. */
  unitBytes: number
  /** The offset after the first line end from an offset on, both at the start of a line; -1 without a line end. */
  lineEnd: (bytes: Uint8Array, from: number) => number
  /** The offset after the last line end; 0 without one. */
  lastLineEnd: (bytes: Uint8Array) => number
  /** Converts whole lines to UTF-8 with line feeds. May return the same memory. */
  toLines: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>
}

/** The number of bytes at the start of a file from which its encoding is detected. */
export const encodingBytes = 64 * 1024

const lineFeed = 10
const carriageReturn = 13

/** Holes of sparse files, and gaps after a truncation during writing, are read as NULs; no text has them. */
const withoutNuls = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  bytes.includes(0) ? bytes.filter((byte) => byte !== 0) : bytes

const utf8: TextEncoding = {
  unitBytes: 1,
  lineEnd: (bytes, from) => {
    const at = bytes.indexOf(lineFeed, from)
    return at < 0 ? -1 : at + 1
  },
  lastLineEnd: (bytes) => bytes.lastIndexOf(lineFeed) + 1,
  toLines: withoutNuls,
}

/** Text of devices that end lines with carriage returns only; a line feed ends a line, too. */
const carriageReturns: TextEncoding = {
  unitBytes: 1,
  lineEnd: (bytes, from) => {
    for (let at = from; at < bytes.length; at++)
      if (bytes[at] === carriageReturn || bytes[at] === lineFeed) return at + 1
    return -1
  },
  lastLineEnd: (bytes) => Math.max(bytes.lastIndexOf(carriageReturn), bytes.lastIndexOf(lineFeed)) + 1,
  toLines: (bytes) => {
    const changed = withoutNuls(bytes)
    for (let at = changed.indexOf(carriageReturn); at >= 0; at = changed.indexOf(carriageReturn, at + 1))
      changed[at] = lineFeed
    return changed
  },
}

/** `low` and `high` are the positions of the bytes in a code unit. */
const utf16 = (label: string, low: 0 | 1): TextEncoding => {
  const high = 1 - low
  const isLineEnd = (bytes: Uint8Array, unit: number) => bytes[unit + low] === lineFeed && bytes[unit + high] === 0
  return {
    unitBytes: 2,
    lineEnd: (bytes, from) => {
      for (let at = bytes.indexOf(lineFeed, from); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
        const unit = at - (at % 2)
        if (isLineEnd(bytes, unit)) return unit + 2
      }
      return -1
    },
    lastLineEnd: (bytes) => {
      const whole = bytes.length - (bytes.length % 2)
      for (let unit = whole - 2; unit >= 0; unit -= 2) if (isLineEnd(bytes, unit)) return unit + 2
      return 0
    },
    toLines: (bytes) => Uint8Array.from(Buffer.from(new TextDecoder(label).decode(bytes))),
  }
}

const encodings = {
  utf16le: utf16('utf-16le', 0),
  utf16be: utf16('utf-16be', 1),
}

/** A carriage return at the very end may be half of a line end. */
const endsInReturns = (start: Uint8Array) => {
  const first = start.indexOf(carriageReturn)
  return first >= 0 && first < start.length - 1 && !start.includes(lineFeed)
}

/** Detects the encoding by the first bytes of a file. If they have carriage returns but no line feed, carriage returns end its lines. */
export const encodingOf = (start: Uint8Array): TextEncoding => {
  const packing = packingOf(start.subarray(0, sniffedBytes))
  if (packing === 'utf16le' || packing === 'utf16be') return encodings[packing]
  return endsInReturns(start) ? carriageReturns : utf8
}

export const isUtf16 = (start: Uint8Array): boolean => encodingOf(start).unitBytes === 2
