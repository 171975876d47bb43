import type { Checkpoint, Checkpoints, Chunk, CollectRequest } from '../collector.ts'
import { type CollectedLog, collectPieces } from '../files/collect-pieces.ts'
import { excerptBytes, holds } from '../files/excerpts.ts'
import {
  type FilePosition,
  fromCheckpoint,
  isPositionKey,
  isSameStamp,
  modifiedMilliseconds,
  positionPrefix,
} from '../files/file-position.ts'
import type { OpenFile } from '../files/log-file.ts'
import { logsWithPositions } from '../files/logs-with-positions.ts'
import type { Matched, StampedFile } from '../files/match-pieces.ts'
import type { SshEntry } from '../source-entry.ts'
import { findRemoteFiles } from './find-remote-files.ts'
import type { RemoteFiles } from './remote-files.ts'
import { openRemoteFile } from './remote-log-file.ts'
import { isSshFailure, SshFailure } from './ssh-failure.ts'

export type RemoteFilesOptions = {
  files: RemoteFiles
  /** The limit of a compressed file, decompressed. */
  maxExpandedBytes: number
  now: () => number
}

/**
 * When a log is found for the first time, only its own file is read, and rotated files are skipped as history; if every file has a date in its
 * name, all are read. Later, every file that was modified after the last read is read, however often the log has been rotated since.
 */
const selectNew = ({ files, positions }: CollectedLog): ((file: StampedFile) => boolean) => {
  const lastRead = Math.max(...positions.map(({ stamp }) => (stamp === null ? 0 : modifiedMilliseconds(stamp))))
  if (positions.length > 0) return ({ isRotated, stamp }) => !isRotated || modifiedMilliseconds(stamp) > lastRead
  const hasOwnFile = files.some(({ isRotated }) => !isRotated)
  return ({ isRotated }) => !isRotated || !hasOwnFile
}

/**
 * Adapts positions after a rotation by renaming, which SFTP does not report: a position whose excerpt is short belongs to a rotated file that also
 * contains it, since the new file may begin with the same lines that the program always writes first. A long excerpt indicates a copy in progress.
 */
const followRenames = async ({ files, positions }: CollectedLog, open: OpenFile): Promise<FilePosition[]> => {
  const isKnown = (file: StampedFile) => positions.some(({ stamp }) => stamp !== null && isSameStamp(stamp, file.stamp))
  const rotated = files.filter((file) => file.isRotated && !isKnown(file))
  const follow = async (position: FilePosition): Promise<FilePosition> => {
    const { head, stamp } = position
    if (stamp === null || head.bytes === 0 || head.bytes >= excerptBytes || position.isBinary) return position
    for (const { path, packing, stamp: seen } of rotated)
      if (stamp.inode !== path && (await holds(path, packing, position, open)))
        return { ...position, stamp: { ...stamp, inode: seen.inode } }
    return position
  }
  return Promise.all(positions.map(follow))
}

/** The file under the log's own name, if it is another one than before and the previous one is missing. */
const replacedFile = ({ positions }: CollectedLog, matched: readonly Matched[]): string | undefined => {
  const latest = positions.reduce<(typeof positions)[number] | undefined>(
    (newest, position) => (newest === undefined || position.generation > newest.generation ? position : newest),
    undefined,
  )
  const isFound = matched.some((match) => match.kind === 'known' && match.position === latest)
  if (!latest || latest.offset === 0 || isFound) return undefined
  return matched.find(({ kind, file }) => kind === 'new' && file.path === latest.path)?.file.path
}

/** Ignores positions stored before pieces of a log were distinguished: lines that were read with them are recognised by their entries. */
async function* positionsOf(checkpoints: Checkpoints): AsyncGenerator<Checkpoint> {
  for await (const checkpoint of checkpoints.list(positionPrefix)) {
    if (isPositionKey(checkpoint.key)) yield checkpoint
  }
}

/** Collects text files of a remote host: the lines since the last read, across rotation, compression and truncation. */
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
        onProblem(
          `${replaced} has been replaced by another file: lines of the previous one that were not read are lost.`,
        )
      return selectNew(log)
    },
  }
  const found = await findRemoteFiles(files, source.path ?? '', { signal, onProblem })
  for await (const log of logsWithPositions(found, positionsOf(checkpoints), fromCheckpoint)) {
    if (signal.aborted) return
    const positions = await followRenames(log, collecting.open)
    yield* collectPieces({ ...log, positions }, request, collecting)
  }
}
