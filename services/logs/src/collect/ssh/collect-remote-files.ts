import type { Checkpoint, Checkpoints, Chunk, CollectRequest } from '../collector.ts'
import { type CollectedLog, collectPieces } from '../files/collect-pieces.ts'
import { excerptBytes, holds } from '../files/excerpts.ts'
import {
  type FilePlace,
  fromCheckpoint,
  isPlaceKey,
  isSameStamp,
  modifiedMilliseconds,
  placePrefix,
} from '../files/file-place.ts'
import type { OpenFile } from '../files/log-file.ts'
import { logsWithPlaces } from '../files/logs-with-places.ts'
import type { Matched, StampedFile } from '../files/match-pieces.ts'
import type { SshEntry } from '../source-entry.ts'
import { findRemoteFiles } from './find-remote-files.ts'
import type { RemoteFiles } from './remote-files.ts'
import { openRemoteFile } from './remote-log-file.ts'
import { isSshFailure, SshFailure } from './ssh-failure.ts'

export type RemoteFilesOptions = {
  files: RemoteFiles
  /** Of a packed file, unpacked. */
  maxExpandedBytes: number
  now: () => number
}

/**
 * Of a log that is met for the first time its own file is read, and what lies beside it is history; where every file has a date in its name,
 * all of them are the log. Afterwards whatever was written later than what was read last is read, however often the log was rotated since.
 */
const selectNew = ({ files, places }: CollectedLog): ((file: StampedFile) => boolean) => {
  const lastRead = Math.max(...places.map(({ stamp }) => (stamp === null ? 0 : modifiedMilliseconds(stamp))))
  if (places.length > 0) return ({ isRotated, stamp }) => !isRotated || modifiedMilliseconds(stamp) > lastRead
  const hasOwnFile = files.some(({ isRotated }) => !isRotated)
  return ({ isRotated }) => !isRotated || !hasOwnFile
}

/**
 * Places as they are after a rotation by renaming, which SFTP does not report: a short place that a rotated file holds, too, is that file's.
 * What a program always begins with may stand at the beginning of the new file as well. A long one is a copy that is being made.
 */
const followRenames = async ({ files, places }: CollectedLog, open: OpenFile): Promise<FilePlace[]> => {
  const isKnown = (file: StampedFile) => places.some(({ stamp }) => stamp !== null && isSameStamp(stamp, file.stamp))
  const rotated = files.filter((file) => file.isRotated && !isKnown(file))
  const follow = async (place: FilePlace): Promise<FilePlace> => {
    const { head, stamp } = place
    if (stamp === null || head.bytes === 0 || head.bytes >= excerptBytes || place.isBinary) return place
    for (const { path, packing, stamp: seen } of rotated)
      if (stamp.inode !== path && (await holds(path, packing, place, open)))
        return { ...place, stamp: { ...stamp, inode: seen.inode } }
    return place
  }
  return Promise.all(places.map(follow))
}

/** The file under the log's own name where it is another one than before, and the one before is nowhere to be found. */
const replacedFile = ({ places }: CollectedLog, matched: readonly Matched[]): string | undefined => {
  const latest = places.reduce<(typeof places)[number] | undefined>(
    (newest, place) => (newest === undefined || place.generation > newest.generation ? place : newest),
    undefined,
  )
  const isFound = matched.some((match) => match.kind === 'known' && match.place === latest)
  if (!latest || latest.offset === 0 || isFound) return undefined
  return matched.find(({ kind, file }) => kind === 'new' && file.path === latest.path)?.file.path
}

/** Places from before pieces of a log were distinguished are of no use: what was read by them is known again by its entries. */
async function* placesOf(checkpoints: Checkpoints): AsyncGenerator<Checkpoint> {
  for await (const checkpoint of checkpoints.list(placePrefix)) {
    if (isPlaceKey(checkpoint.key)) yield checkpoint
  }
}

/** Collects text files of a remote host: what has come since they were read last, over rotation, packing and truncation. */
export async function* collectRemoteFiles(
  request: CollectRequest<SshEntry>,
  { files, maxExpandedBytes, now }: RemoteFilesOptions,
): AsyncGenerator<Chunk> {
  const { source, checkpoints, signal, onProblem } = request
  let broken: SshFailure | undefined
  const note = (error: unknown): unknown => {
    if (error instanceof SshFailure && error.reason !== 'remote') broken ??= error
    return error
  }
  const open = openRemoteFile(files, signal)
  const collecting = {
    maxExpandedBytes,
    now,
    open: async (path: string) => {
      const file = await open(path)
      return {
        ...file,
        read: (buffer: Uint8Array, position: number) =>
          file.read(buffer, position).catch((error: unknown) => {
            throw note(error)
          }),
      }
    },
    onFailure: (_: string, error: unknown) => {
      if (!isSshFailure(error, 'remote')) throw error
      onProblem(error.message)
    },
    requireReadable: () => {
      if (broken) throw broken
    },
    selectNew: (log: CollectedLog, matched: readonly Matched[]) => {
      const replaced = replacedFile(log, matched)
      if (replaced !== undefined)
        onProblem(`${replaced} is another file than it was: what was written before that and not read is lost.`)
      return selectNew(log)
    },
  }
  const found = await findRemoteFiles(files, source.path ?? '', { signal, onProblem })
  for await (const log of logsWithPlaces(found, placesOf(checkpoints), fromCheckpoint)) {
    if (signal.aborted) return
    const places = await followRenames(log, collecting.open)
    yield* collectPieces({ ...log, places }, request, collecting)
  }
}
