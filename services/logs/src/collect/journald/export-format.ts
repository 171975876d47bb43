import { maxTextBytes } from '../../formats/clean.ts'

/** The fields of one entry, as bytes, since a journal keeps whatever a program sent. Of a field that is there twice, the first. */
export type JournalFields = ReadonlyMap<string, Buffer>

/** Bytes that are no journal export. The message says what was met. */
export class ExportMalformed extends Error {
  override name = 'ExportMalformed'
}

export type ExportReader = {
  /** Gives the entries that have become whole. Throws ExportMalformed. */
  push: (chunk: Uint8Array) => JournalFields[]
  /** At the end of a file: gives the last entry where no empty line ends it. Throws ExportMalformed for one that breaks off. */
  end: () => JournalFields[]
}

const lineFeed = 10
const equals = 61
const sizeBytes = 8
const maxNameBytes = 64
/** Of one entry; further ones are left out. */
const maxFields = 512
/** Of all fields of one entry that are kept. */
const maxEntryBytes = 2 * maxTextBytes
/** "Journal fields ... may only contain uppercase letters, numbers and underscores" (systemd.journal-fields). */
const fieldName = /^[A-Z0-9_]{1,64}$/

/** Where the reader is: in a line up to its end, past what was malformed up to the next entry, in the eight bytes of a size, in so many bytes of a value, or at the line end after them. */
type Place =
  | { in: 'line' }
  | { in: 'nothing' }
  | { in: 'size'; name: string }
  | { in: 'value'; name: string; left: bigint }
  | { in: 'valueEnd'; name: string }

const refuse = (problem: ExportMalformed): never => {
  throw problem
}

/**
 * Reads the Journal Export Format (systemd.io/JOURNAL_EXPORT_FORMATS): `NAME=text` lines, or for any bytes `NAME`, a line feed, the size as
 * 64 bits little-endian, the bytes and a line feed; an empty line ends an entry. A field is kept up to 1 MiB and skipped beyond, so that a
 * memory dump in the journal costs no memory here. `onMalformed` may let an entry go that cannot be read: the next one is read again.
 */
export const createExportReader = (onMalformed: (problem: ExportMalformed) => void = refuse): ExportReader => {
  let fields = new Map<string, Buffer>()
  let entryBytes = 0
  let place: Place = { in: 'line' }
  let parts: Buffer[] = []
  let kept = 0

  const keep = (bytes: Buffer, max: number) => {
    const part = bytes.subarray(0, Math.max(0, max - kept))
    if (part.length === 0) return
    parts.push(part)
    kept += part.length
  }
  const takeKept = (): Buffer => {
    const [first] = parts
    const bytes = parts.length === 1 && first ? first : Buffer.concat(parts)
    parts = []
    kept = 0
    return bytes
  }
  const giveUp = (problem: string): Place => {
    onMalformed(new ExportMalformed(problem))
    fields = new Map()
    entryBytes = 0
    takeKept()
    return { in: 'nothing' }
  }
  const add = (name: string, value: Buffer): Place => {
    if (!fieldName.test(name)) return giveUp(`"${name.slice(0, maxNameBytes)}" is no field of a journal.`)
    if (fields.has(name) || fields.size >= maxFields || entryBytes + value.length > maxEntryBytes) return { in: 'line' }
    fields.set(name, value)
    entryBytes += value.length
    return { in: 'line' }
  }
  const takeLine = (entries: JournalFields[]): Place => {
    const line = takeKept()
    if (line.length === 0) {
      if (fields.size > 0) entries.push(fields)
      fields = new Map()
      entryBytes = 0
      return { in: 'line' }
    }
    const at = line.indexOf(equals)
    const name = line.toString('latin1', 0, at < 0 ? line.length : at)
    if (at < 0) {
      if (!fieldName.test(name)) return giveUp('This is no journal export: a line names no field.')
      return { in: 'size', name }
    }
    return add(name, line.subarray(at + 1))
  }

  /** Takes bytes for the place where the reader is; gives where the rest begins. */
  const step = (bytes: Buffer, start: number, entries: JournalFields[]): number => {
    if (place.in === 'line') {
      const end = bytes.indexOf(lineFeed, start)
      keep(bytes.subarray(start, end < 0 ? bytes.length : end), maxNameBytes + 1 + maxTextBytes)
      if (end < 0) return bytes.length
      place = takeLine(entries)
      return end + 1
    }
    if (place.in === 'nothing') {
      const end = bytes.indexOf(lineFeed, start)
      keep(bytes.subarray(start, end < 0 ? bytes.length : end), 1)
      if (end < 0) return bytes.length
      place = { in: takeKept().length === 0 ? 'line' : 'nothing' }
      return end + 1
    }
    if (place.in === 'size') {
      const end = Math.min(bytes.length, start + sizeBytes - kept)
      keep(bytes.subarray(start, end), sizeBytes)
      if (kept === sizeBytes) place = { in: 'value', name: place.name, left: takeKept().readBigUInt64LE() }
      return end
    }
    if (place.in === 'value') {
      const available = BigInt(bytes.length - start)
      const end = start + Number(place.left < available ? place.left : available)
      keep(bytes.subarray(start, end), maxTextBytes)
      const left = place.left - BigInt(end - start)
      place = left === 0n ? { in: 'valueEnd', name: place.name } : { ...place, left }
      return end
    }
    const isWhole = bytes[start] === lineFeed
    place = isWhole ? add(place.name, takeKept()) : giveUp(`The field ${place.name} is longer than it says.`)
    return isWhole ? start + 1 : start
  }

  return {
    push: (chunk) => {
      const entries: JournalFields[] = []
      // What is kept of a chunk outlives it, and the chunk may be somebody's who writes into it again.
      const bytes = Buffer.from(chunk)
      for (let at = 0; at < bytes.length || (place.in === 'value' && place.left === 0n); ) at = step(bytes, at, entries)
      return entries
    },
    end: () => {
      if (place.in === 'nothing') return []
      if (place.in !== 'line' || kept > 0) {
        place = giveUp('The journal export breaks off in a field.')
        return []
      }
      const entries: JournalFields[] = []
      takeLine(entries)
      return entries
    },
  }
}
