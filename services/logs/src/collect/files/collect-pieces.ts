import type { Checkpoints, Chunk, CollectRequest } from '../collector.ts'
import { type LocalFileEntry, type SshEntry, unitSourceId } from '../source-entry.ts'
import { holds, isStartOf, startOf } from './excerpts.ts'
import {
  type FilePosition,
  isSameStamp,
  keyOf,
  modifiedMilliseconds,
  noExcerpt,
  toCheckpoint,
} from './file-position.ts'
import { isBinaryFile } from './is-binary.ts'
import type { OpenFile } from './log-file.ts'
import { type Compare, type Matched, matchPieces, type StampedFile } from './match-pieces.ts'
import { readPackedPiece } from './read-packed-piece.ts'
import { readPiece, unfinishedLineMilliseconds } from './read-piece.ts'

export type PieceCollecting = {
  open: OpenFile
  /** The limit of a compressed file, decompressed. */
  maxExpandedBytes: number
  now: () => number
  /** Handles the failure of reading a file. Throws if it ends the whole run. */
  onFailure: (path: string, error: unknown) => void
  /** Called before new positions are stored: throws if the files could not be inspected, so that no known file is registered as new. */
  requireReadable?: () => void
  /** Selects the new files that are read; all by default. The others are inspected again next time. */
  selectNew?: (log: CollectedLog, matched: readonly Matched[]) => (file: StampedFile) => boolean
}

/** The current files of a log, and the known positions in it. */
export type CollectedLog = { name: string; files: readonly StampedFile[]; positions: readonly FilePosition[] }

/** How long the position of a missing piece is retained, since it may come back compressed. */
const retentionMilliseconds = 30 * 86_400_000

type Known = { file: StampedFile; position: FilePosition }

const compareBy = (open: OpenFile): Compare => ({
  holds: ({ path, packing }, position) => holds(path, packing, position, open),
  isStartOf: async (file, other) =>
    file.packing === 'plain' &&
    other.packing === 'plain' &&
    other.stamp.size >= file.stamp.size &&
    (await isStartOf(file.path, file.stamp.size, other.path, open)),
})

/** Oldest first, as rotation leaves them: a compressed file has the modification time of its content. */
const byAge = (a: StampedFile, b: StampedFile) =>
  modifiedMilliseconds(a.stamp) - modifiedMilliseconds(b.stamp) || (a.path < b.path ? 1 : -1)

/** Whether a file is completely stored; a line without an end is read again once the file has been unchanged for a while. */
const isDone = ({ file, position }: Known, now: number): boolean => {
  if (!position.stamp || !isSameStamp(file.stamp, position.stamp)) return false
  if (position.isBinary || file.packing !== 'plain' || position.offset >= file.stamp.size) return true
  return now - modifiedMilliseconds(file.stamp) < unfinishedLineMilliseconds
}

/** Assigns generations to new pieces before they are read, so that they have the same ones when they are read again. */
const withPositions = async (
  matched: readonly Matched[],
  log: string,
  latest: number,
  {
    checkpoints,
    open,
    isSelected,
  }: { checkpoints: Checkpoints; open: OpenFile; isSelected: (file: StampedFile) => boolean },
): Promise<Known[]> => {
  const known: Known[] = []
  let generation = latest
  for (const match of matched) {
    if (match.kind === 'known') known.push(match)
    if (match.kind !== 'new' || !isSelected(match.file)) continue
    generation++
    const { file } = match
    const isBinary = file.packing === 'plain' && (await isBinaryFile(file.path, open).catch(() => false))
    const position: FilePosition = {
      log,
      generation,
      path: file.path,
      stamp: { ...file.stamp, ...(!isBinary && { changed: '' }) },
      // Recorded from the start, whatever happens to the file before any of it is stored.
      head: file.packing === 'plain' ? await startOf(file.path, open) : noExcerpt,
      tail: noExcerpt,
      offset: 0,
      line: 1,
      isBinary,
    }
    await checkpoints.put(toCheckpoint(position))
    known.push({ file, position })
  }
  return known
}

/** Deletes the positions of pieces that have long been missing, except the newest, which continues their numbering. */
const deleteGone = async (
  positions: readonly FilePosition[],
  known: readonly Known[],
  { checkpoints, now }: { checkpoints: Checkpoints; now: () => number },
) => {
  const isLongGone = (stamp: FilePosition['stamp']) =>
    stamp === null || now() - modifiedMilliseconds(stamp) > retentionMilliseconds
  const there = new Set(known.map(({ position }) => position.generation))
  const newest = Math.max(...positions.map(({ generation }) => generation), ...there)
  const keys = positions
    .filter(({ generation, stamp }) => generation !== newest && !there.has(generation) && isLongGone(stamp))
    .map(({ log, generation }) => keyOf(log, generation))
  if (keys.length > 0) await checkpoints.remove(keys)
}

async function* readKnown(
  { file, position }: Known,
  request: CollectRequest<LocalFileEntry | SshEntry>,
  { open, maxExpandedBytes, now, onFailure }: PieceCollecting,
): AsyncGenerator<Chunk> {
  const { source, checkpoints, force, signal, onProblem } = request
  const isMoved = position.path !== file.path
  if (position.isBinary) {
    const isNamed = file.log === '' && !file.isRotated
    if (isMoved || force || isNamed) onProblem(`${file.path} is skipped: it is not text.`)
    return
  }
  if (!force && isDone({ file, position }, now())) {
    if (isMoved) await checkpoints.put(toCheckpoint({ ...position, path: file.path }))
    return
  }
  const options = {
    path: file.path,
    open,
    position: { ...position, stamp: file.stamp },
    force,
    stream: {
      sourceId: file.log === '' ? source.sourceId : unitSourceId(source, file.log),
      format: source.format,
      zone: source.timezone,
      joins: source.multiline,
    },
    now,
    signal,
  }
  try {
    if (file.packing === 'plain') yield* readPiece(options)
    else yield* readPackedPiece({ ...options, packing: file.packing, maxBytes: maxExpandedBytes, onProblem })
  } catch (error) {
    onFailure(file.path, error)
  }
}

/** Collects one log: the new lines in its file and in those that rotation has made of it, the oldest first. */
export async function* collectPieces(
  log: CollectedLog,
  request: CollectRequest<LocalFileEntry | SshEntry>,
  collecting: PieceCollecting,
): AsyncGenerator<Chunk> {
  const { checkpoints, signal } = request
  const { open, now, requireReadable, selectNew } = collecting
  const files = log.files.toSorted(byAge)
  const matched = await matchPieces(files, log.positions, compareBy(open))
  requireReadable?.()
  const latest = log.positions.reduce((max, { generation }) => Math.max(max, generation), -1)
  const isSelected = selectNew?.(log, matched) ?? (() => true)
  const known = await withPositions(matched, log.name, latest, { checkpoints, open, isSelected })
  for (const each of known) {
    if (signal.aborted) return
    yield* readKnown(each, request, collecting)
  }
  if (files.length > 0) await deleteGone(log.positions, known, { checkpoints, now })
}
