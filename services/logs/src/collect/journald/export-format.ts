import { maxTextBytes } from '../../formats/clean.ts'

/** The fields of one entry, as bytes, since a journal stores whatever a program sent. Of a repeated field, the first. */
export type JournalFields = ReadonlyMap<string, Buffer>

/** An invalid journal export. The message describes the problem. */
export class ExportMalformed extends Error {
  override name = 'ExportMalformed'
}

export type ExportReader = {
  /** Returns the entries that are complete. Throws ExportMalformed. */
  push: (chunk: Uint8Array) => JournalFields[]
  /** At the end of a file: returns the last entry if no empty line ends it. Throws ExportMalformed for a truncated field. */
  end: () => JournalFields[]
}

const lineFeed = 10
const equals = 61
const sizeBytes = 8
const maxNameBytes = 64
/** Per entry; further fields are skipped. */
const maxFields = 512
/** The total of all stored fields of one entry. */
const maxEntryBytes = 2 * maxTextBytes
/** "Journal fields ... may only contain uppercase letters, numbers and underscores" (systemd.journal-fields). */
const fieldName = /^[A-Z0-9_]{1,64}$/

/** The state of the reader. `nothing` skips a malformed entry, `size` reads eight bytes, and `value` has `left` bytes left before its line end. */
type ReaderState =
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
 * 64 bits little-endian, the bytes and a line feed; an empty line ends an entry. A field is stored up to 1 MiB and skipped beyond, so that a
 * memory dump in the journal costs no memory here. If `onMalformed` does not throw, the malformed entry is skipped.
 */
export const createExportReader = (onMalformed: (problem: ExportMalformed) => void = refuse): ExportReader => {
  let fields = new Map<string, Buffer>()
  let entryBytes = 0
  let state: ReaderState = { in: 'line' }
  let parts: Buffer[] = []
  let size = 0

  const buffer = (bytes: Buffer, max: number) => {
    const part = bytes.subarray(0, Math.max(0, max - size))
    if (part.length === 0) return
    parts.push(part)
    size += part.length
  }
  const takeBuffered = (): Buffer => {
    const [first] = parts
    const bytes = parts.length === 1 && first ? first : Buffer.concat(parts)
    parts = []
    size = 0
    return bytes
  }
  const skipEntry = (problem: string): ReaderState => {
    onMalformed(new ExportMalformed(problem))
    fields = new Map()
    entryBytes = 0
    takeBuffered()
    return { in: 'nothing' }
  }
  const add = (name: string, value: Buffer): ReaderState => {
    if (!fieldName.test(name)) return skipEntry(`"${name.slice(0, maxNameBytes)}" is not a journal field.`)
    if (fields.has(name) || fields.size >= maxFields || entryBytes + value.length > maxEntryBytes) return { in: 'line' }
    fields.set(name, value)
    entryBytes += value.length
    return { in: 'line' }
  }
  const takeLine = (entries: JournalFields[]): ReaderState => {
    const line = takeBuffered()
    if (line.length === 0) {
      if (fields.size > 0) entries.push(fields)
      fields = new Map()
      entryBytes = 0
      return { in: 'line' }
    }
    const at = line.indexOf(equals)
    const name = line.toString('latin1', 0, at < 0 ? line.length : at)
    if (at < 0) {
      if (!fieldName.test(name)) return skipEntry('This is not a journal export: a line names no field.')
      return { in: 'size', name }
    }
    return add(name, line.subarray(at + 1))
  }

  /** Consumes bytes in the current state; returns the offset of the rest. */
  const step = (bytes: Buffer, start: number, entries: JournalFields[]): number => {
    if (state.in === 'line') {
      const end = bytes.indexOf(lineFeed, start)
      buffer(bytes.subarray(start, end < 0 ? bytes.length : end), maxNameBytes + 1 + maxTextBytes)
      if (end < 0) return bytes.length
      state = takeLine(entries)
      return end + 1
    }
    if (state.in === 'nothing') {
      const end = bytes.indexOf(lineFeed, start)
      buffer(bytes.subarray(start, end < 0 ? bytes.length : end), 1)
      if (end < 0) return bytes.length
      state = { in: takeBuffered().length === 0 ? 'line' : 'nothing' }
      return end + 1
    }
    if (state.in === 'size') {
      const end = Math.min(bytes.length, start + sizeBytes - size)
      buffer(bytes.subarray(start, end), sizeBytes)
      if (size === sizeBytes) state = { in: 'value', name: state.name, left: takeBuffered().readBigUInt64LE() }
      return end
    }
    if (state.in === 'value') {
      const available = BigInt(bytes.length - start)
      const end = start + Number(state.left < available ? state.left : available)
      buffer(bytes.subarray(start, end), maxTextBytes)
      const left = state.left - BigInt(end - start)
      state = left === 0n ? { in: 'valueEnd', name: state.name } : { ...state, left }
      return end
    }
    const isWhole = bytes[start] === lineFeed
    state = isWhole
      ? add(state.name, takeBuffered())
      : skipEntry(`The field ${state.name} is longer than its stated size.`)
    return isWhole ? start + 1 : start
  }

  return {
    push: (chunk) => {
      const entries: JournalFields[] = []
      // Buffered bytes outlive the chunk, whose memory its owner may reuse.
      const bytes = Buffer.from(chunk)
      for (let at = 0; at < bytes.length || (state.in === 'value' && state.left === 0n); ) at = step(bytes, at, entries)
      return entries
    },
    end: () => {
      if (state.in === 'nothing') return []
      if (state.in !== 'line' || size > 0) {
        state = skipEntry('The journal export is truncated in a field.')
        return []
      }
      const entries: JournalFields[] = []
      takeLine(entries)
      return entries
    },
  }
}
