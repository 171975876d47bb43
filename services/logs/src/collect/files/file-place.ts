import type { BigIntStats } from 'node:fs'
import type { Checkpoint } from '../collector.ts'

/** Which file a file is and in what state, as the system tells without reading it. Numbers that need 64 bits are text. */
export type FileStamp = { device: string; inode: string; size: number; modified: string; changed: string }

/** Some bytes of a file, by their digest. */
export type Excerpt = { bytes: number; digest: string }

/**
 * How far one piece of a log has been read. A piece is known by its inode as long as its first bytes and those before `offset` are what they
 * were; under another inode (copied, packed) by these bytes alone.
 */
export type FilePlace = {
  log: string
  /** Counts the pieces of a log, in the order in which they were met. */
  generation: number
  path: string
  /** As it was when it was read last; null where it has to be looked at again. */
  stamp: FileStamp | null
  head: Excerpt
  /** Just before `offset`. */
  tail: Excerpt
  /** Bytes, unpacked, that are stored. */
  offset: number
  /** The number of the line that begins at `offset`, or goes on there. */
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

/** Sorts the places of a log together, by generation. Control characters are in no name that we make. */
const separator = '\u0001'
export const placePrefix = 'file:'
export const logPrefix = (log: string): string => `${placePrefix}${log}${separator}`
/** Whether a key is one of `keyOf`. */
export const isPlaceKey = (key: string): boolean => key.startsWith(placePrefix) && key.includes(separator)
export const keyOf = (log: string, generation: number): string =>
  `${logPrefix(log)}${String(generation).padStart(9, '0')}`

export const toCheckpoint = (place: FilePlace): Checkpoint => ({
  key: keyOf(place.log, place.generation),
  state: JSON.stringify(place),
})

/** Written by `toCheckpoint` alone. */
export const fromCheckpoint = ({ state }: Pick<Checkpoint, 'state'>): FilePlace => JSON.parse(state) as FilePlace

/**
 * Lines of different pieces of a log must not be taken for each other: a text without a time may stand at the same line of each. So the
 * sequences of a piece begin at its generation times this; those of the first are the numbers of its lines.
 */
export const sequencesPerGeneration = 1_000_000_000

export const sequenceOf = (generation: number, line: number): number => generation * sequencesPerGeneration + line
export const lineOf = (generation: number, sequence: number): number => sequence - generation * sequencesPerGeneration
