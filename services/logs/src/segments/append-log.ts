import { closeSync, fdatasync, openSync, writevSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { createSerialQueue } from '@trellis/kit/lifecycle'

/**
 * The write-ahead log: records that are not yet in a segment. Positions count from 1. It is a folder of files in a single process and a stream
 * among replicas.
 */
export type AppendLog = AsyncDisposable & {
  /** Resolves with the record's position once it is durable. Records become durable in the order of their calls. */
  append: (record: Uint8Array) => Promise<number>
  /** The records after a position, in order. A torn unacknowledged record ends the replay silently; other damage is reported to `onDamage`. */
  replay: (
    after: number,
    onDamage: (problem: string) => void,
  ) => AsyncIterable<{ position: number; record: ArrayBuffer }>
  /** Deletes records up to and including a position; may retain more than necessary. */
  trim: (upTo: number) => Promise<void>
  /** Deletes all records from disk; positions continue. Only for records that are in segments. */
  clear: () => Promise<void>
}

const recordMagic = 0x474f4c54
/** u32 magic, u32 length, u32 CRC-32 of the record, u32 CRC-32 of position and length, f64 position. */
const headerBytes = 24
const fileName = (firstPosition: number) => `${String(firstPosition).padStart(16, '0')}.log`
const isLogFile = (name: string) => /^\d{16}\.log$/.test(name)

const headerFor = (position: number, record: Uint8Array): Uint8Array => {
  const header = new DataView(new ArrayBuffer(headerBytes))
  header.setUint32(0, recordMagic, true)
  header.setUint32(4, record.length, true)
  header.setUint32(8, crc32(record), true)
  header.setFloat64(16, position, true)
  header.setUint32(12, headerChecksum(header), true)
  return new Uint8Array(header.buffer)
}

const headerChecksum = (header: DataView): number =>
  crc32(new Uint8Array(header.buffer, header.byteOffset + 16, 8), header.getUint32(4, true))

type LogFile = { name: string; firstPosition: number; descriptor: number; bytes: number }

export type FileAppendLogOptions = {
  directory: string
  /** Size after which a new file is started. */
  fileBytes?: number
}

/** The append log as files in a folder; one writer at a time. */
export const openFileAppendLog = async ({
  directory,
  fileBytes = 16 * 1024 * 1024,
}: FileAppendLogOptions): Promise<AppendLog> => {
  await mkdir(directory, { recursive: true })
  let next = (await lastPositionIn(directory)) + 1
  let current: LogFile | undefined

  const startFile = async (): Promise<LogFile> => {
    const name = fileName(next)
    // A torn file of the same name has no acknowledged record, or its last position would be higher.
    const descriptor = openSync(join(directory, name), 'w')
    const folder = await open(directory, 'r')
    await folder.sync().finally(() => folder.close())
    return { name, firstPosition: next, descriptor, bytes: 0 }
  }
  const serialQueue = createSerialQueue()
  const write = async (record: Uint8Array): Promise<{ position: number; file: LogFile }> => {
    if (current && current.bytes >= fileBytes) {
      closeSync(current.descriptor)
      current = undefined
    }
    current ??= await startFile()
    const position = next++
    const parts = [headerFor(position, record), record]
    const expected = headerBytes + record.length
    const written = writevSync(current.descriptor, parts)
    if (written !== expected)
      throw Object.assign(new Error(`Only ${written} of ${expected} bytes were written to the append log.`), {
        code: 'ENOSPC',
      })
    current.bytes += expected
    await sync(current.descriptor)
    return { position, file: current }
  }

  return {
    append: (record) => serialQueue.run(async () => (await write(record)).position),
    replay: (after, onDamage) => {
      // A log that lost its files must not reuse positions: new records would seem to be in segments already.
      next = Math.max(next, after + 1)
      return replayFiles(directory, after, onDamage)
    },
    async trim(upTo) {
      const files = await firstPositionsIn(directory)
      for (const [index, first] of files.entries()) {
        // The newest file stays: its name records the last position.
        const end = files[index + 1] ?? Number.POSITIVE_INFINITY
        if (end - 1 <= upTo && first !== current?.firstPosition)
          await rm(join(directory, fileName(first)), { force: true })
      }
    },
    clear: () =>
      serialQueue.run(async () => {
        if (current) closeSync(current.descriptor)
        current = undefined
        const stale = (await firstPositionsIn(directory)).filter((first) => first !== next)
        // An empty file is created first: its name records the last position.
        current = await startFile()
        for (const first of stale) await rm(join(directory, fileName(first)), { force: true })
      }),
    async [Symbol.asyncDispose]() {
      await serialQueue.drain()
      if (current) closeSync(current.descriptor)
      current = undefined
    },
  }
}

const sync = (descriptor: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fdatasync(descriptor, (error) => (error ? reject(error) : resolve()))
  })

const firstPositionsIn = async (directory: string): Promise<number[]> =>
  (await readdir(directory))
    .filter(isLogFile)
    .map((name) => Number.parseInt(name, 10))
    .toSorted((a, b) => a - b)

const lastPositionIn = async (directory: string): Promise<number> => {
  const files = await firstPositionsIn(directory)
  const newest = files.at(-1)
  if (newest === undefined) return 0
  let last = newest - 1
  for (const record of recordsOf(await readFile(join(directory, fileName(newest))))) {
    if (record === 'torn') break
    last = record.position
  }
  return last
}

async function* replayFiles(directory: string, after: number, onDamage: (problem: string) => void) {
  const files = await firstPositionsIn(directory)
  for (const [index, first] of files.entries()) {
    const following = files[index + 1]
    if (following !== undefined && following - 1 <= after) continue
    const name = fileName(first)
    let last = first - 1
    for (const record of recordsOf(await readFile(join(directory, name)))) {
      if (record === 'torn') break
      last = record.position
      if (record.position > after) yield record
    }
    if (following !== undefined && following > last + 1) {
      onDamage(`Records ${last + 1} to ${following - 1} of the append log cannot be read ("${name}" is damaged).`)
    }
  }
}

/** The records of a file; `torn` last if its end fails a check. */
function* recordsOf(bytes: Buffer): Generator<{ position: number; record: ArrayBuffer } | 'torn'> {
  let offset = 0
  while (offset < bytes.length) {
    const header =
      offset + headerBytes <= bytes.length
        ? new DataView(bytes.buffer, bytes.byteOffset + offset, headerBytes)
        : undefined
    if (header?.getUint32(0, true) !== recordMagic || header.getUint32(12, true) !== headerChecksum(header))
      return yield 'torn'
    const start = offset + headerBytes
    const end = start + header.getUint32(4, true)
    if (end > bytes.length || crc32(bytes.subarray(start, end)) !== header.getUint32(8, true)) return yield 'torn'
    yield { position: header.getFloat64(16, true), record: Uint8Array.from(bytes.subarray(start, end)).buffer }
    offset = end
  }
}
