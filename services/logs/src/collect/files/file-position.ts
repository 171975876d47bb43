import type { BigIntStats } from 'node:fs'
import type { Checkpoint } from '../collector.ts'

/** Identity and state of a file as the system reports them without reading it. 64-bit numbers are text. */
export type FileStamp = { device: string; inode: string; size: number; modified: string; changed: string }

/** The length and digest of some bytes of a file. */
export type Excerpt = { bytes: number; digest: string }

/**
 * How far one piece of a log has been read. A piece is identified by its inode while its first bytes and those before `offset` are unchanged;
 * with another inode (copied, compressed) by these bytes alone.
 */
export type FilePosition = {
  log: string
  /** Numbers the pieces of a log, in the order in which they were found. */
  generation: number
  path: string
  /** Its state when it was last read; null if it must be inspected again. */
  stamp: FileStamp | null
  head: Excerpt
  /** The bytes before `offset`. */
  tail: Excerpt
  /** The number of bytes that are stored, decompressed. */
  offset: number
  /** The number of the line that begins at `offset`, or continues there. */
  line: number
  /** Not text: never read. */
  isBinary: boolean
}

export const noExcerpt: Excerpt = { bytes: 0, digest: '' }

export const stampOf = (stats: BigIntStats): FileStamp => ({
  device: String(stats.dev),
  inode: String(stats.ino),
  size: Number(stats.size),
  modified: String(stats.mtimeNs),
  changed: String(stats.ctimeNs),
})

export const modifiedMilliseconds = ({ modified }: FileStamp): number => Number(BigInt(modified) / 1_000_000n)

export const isSameFile = (a: FileStamp, b: FileStamp): boolean => a.inode === b.inode && a.device === b.device

export const isSameStamp = (a: FileStamp, b: FileStamp): boolean =>
  isSameFile(a, b) && a.size === b.size && a.modified === b.modified && a.changed === b.changed

/** Groups the positions of a log in the order of keys, by generation. No name of a log has control characters. */
const separator = '\u0001'
export const positionPrefix = 'file:'
export const logPrefix = (log: string): string => `${positionPrefix}${log}${separator}`
/** Whether a key was built by `keyOf`. */
export const isPositionKey = (key: string): boolean => key.startsWith(positionPrefix) && key.includes(separator)
export const keyOf = (log: string, generation: number): string =>
  `${logPrefix(log)}${String(generation).padStart(9, '0')}`

export const toCheckpoint = (position: FilePosition): Checkpoint => ({
  key: keyOf(position.log, position.generation),
  state: JSON.stringify(position),
})

/** Parses what `toCheckpoint` wrote. */
export const fromCheckpoint = ({ state }: Pick<Checkpoint, 'state'>): FilePosition => JSON.parse(state) as FilePosition

/**
 * Lines of different pieces of a log must not be confused: a text without a time may be at the same line of each. So the sequences of a piece
 * begin at its generation times this factor; those of the first piece are the numbers of its lines.
 */
export const sequencesPerGeneration = 1_000_000_000

export const sequenceOf = (generation: number, line: number): number => generation * sequencesPerGeneration + line
export const lineOf = (generation: number, sequence: number): number => sequence - generation * sequencesPerGeneration
