import type { Checkpoints, Chunk, CollectRequest } from '../collector.ts'
import { type LocalFileEntry, type SshEntry, unitSourceId } from '../source-entry.ts'
import { holds, isStartOf, startOf } from './excerpts.ts'
import { type FilePlace, isSameStamp, keyOf, modifiedMilliseconds, noExcerpt, toCheckpoint } from './file-place.ts'
import { isBinaryFile } from './is-binary.ts'
import type { OpenFile } from './log-file.ts'
import { type Compare, type Matched, matchPieces, type StampedFile } from './match-pieces.ts'
import { readPackedPiece } from './read-packed-piece.ts'
import { readPiece, standsMilliseconds } from './read-piece.ts'

export type PieceCollecting = {
  open: OpenFile
  /** Of a packed file, unpacked. */
  maxExpandedBytes: number
  now: () => number
  /** What reading a file failed with. Throws what ends the whole run. */
  onFailure: (path: string, error: unknown) => void
  /** Before new places are stored: throws where the files could not be looked at, so that nothing is taken for new by mistake. */
  requireReadable?: () => void
  /** Which files that are new are read; all by default. Those that are not are looked at again next time. */
  selectNew?: (log: CollectedLog, matched: readonly Matched[]) => (file: StampedFile) => boolean
}

/** The files of a log as they are now, and the places that are known of it. */
export type CollectedLog = { name: string; files: readonly StampedFile[]; places: readonly FilePlace[] }

/** The place of a piece that is gone is retained for so long, since it may come back packed. */
const retentionMilliseconds = 30 * 86_400_000

type Known = { file: StampedFile; place: FilePlace }

const compareBy = (open: OpenFile): Compare => ({
  holds: ({ path, packing }, place) => holds(path, packing, place, open),
  isStartOf: async (file, other) =>
    file.packing === 'plain' &&
    other.packing === 'plain' &&
    other.stamp.size >= file.stamp.size &&
    (await isStartOf(file.path, file.stamp.size, other.path, open)),
})

/** Oldest first, as rotation leaves them: a packed file has the time of what is in it. */
const byAge = (a: StampedFile, b: StampedFile) =>
  modifiedMilliseconds(a.stamp) - modifiedMilliseconds(b.stamp) || (a.path < b.path ? 1 : -1)

/** Whether all that a file has to say is stored; a line that waits for its end is read again once the file has stood for a while. */
const isDone = ({ file, place }: Known, now: number): boolean => {
  if (!place.stamp || !isSameStamp(file.stamp, place.stamp)) return false
  if (place.isBinary || file.packing !== 'plain' || place.offset >= file.stamp.size) return true
  return now - modifiedMilliseconds(file.stamp) < standsMilliseconds
}

/** Gives new pieces their generations, before anything of them is read: read again, they have the same. */
const withPlaces = async (
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
    const place: FilePlace = {
      log,
      generation,
      path: file.path,
      stamp: { ...file.stamp, ...(!isBinary && { changed: '' }) },
      // Known from the start on, whatever happens to the file before anything of it is stored.
      head: file.packing === 'plain' ? await startOf(file.path, open) : noExcerpt,
      tail: noExcerpt,
      offset: 0,
      line: 1,
      isBinary,
    }
    await checkpoints.put(toCheckpoint(place))
    known.push({ file, place })
  }
  return known
}

/** Deletes the places of pieces that have long gone; never the newest, which counts them. */
const deleteGone = async (
  places: readonly FilePlace[],
  known: readonly Known[],
  { checkpoints, now }: { checkpoints: Checkpoints; now: () => number },
) => {
  const isLongGone = (stamp: FilePlace['stamp']) =>
    stamp === null || now() - modifiedMilliseconds(stamp) > retentionMilliseconds
  const there = new Set(known.map(({ place }) => place.generation))
  const newest = Math.max(...places.map(({ generation }) => generation), ...there)
  const keys = places
    .filter(({ generation, stamp }) => generation !== newest && !there.has(generation) && isLongGone(stamp))
    .map(({ log, generation }) => keyOf(log, generation))
  if (keys.length > 0) await checkpoints.remove(keys)
}

async function* readKnown(
  { file, place }: Known,
  request: CollectRequest<LocalFileEntry | SshEntry>,
  { open, maxExpandedBytes, now, onFailure }: PieceCollecting,
): AsyncGenerator<Chunk> {
  const { source, checkpoints, force, signal, onProblem } = request
  const isMoved = place.path !== file.path
  if (place.isBinary) {
    const isNamed = file.log === '' && !file.isRotated
    if (isMoved || force || isNamed) onProblem(`${file.path} is left out: it is no text.`)
    return
  }
  if (!force && isDone({ file, place }, now())) {
    if (isMoved) await checkpoints.put(toCheckpoint({ ...place, path: file.path }))
    return
  }
  const options = {
    path: file.path,
    open,
    place: { ...place, stamp: file.stamp },
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

/** Collects one log: what has come in its file and in those that rotation has made of it, the oldest first. */
export async function* collectPieces(
  log: CollectedLog,
  request: CollectRequest<LocalFileEntry | SshEntry>,
  collecting: PieceCollecting,
): AsyncGenerator<Chunk> {
  const { checkpoints, signal } = request
  const { open, now, requireReadable, selectNew } = collecting
  const files = log.files.toSorted(byAge)
  const matched = await matchPieces(files, log.places, compareBy(open))
  requireReadable?.()
  const latest = log.places.reduce((max, { generation }) => Math.max(max, generation), -1)
  const isSelected = selectNew?.(log, matched) ?? (() => true)
  const known = await withPlaces(matched, log.name, latest, { checkpoints, open, isSelected })
  for (const each of known) {
    if (signal.aborted) return
    yield* readKnown(each, request, collecting)
  }
  if (files.length > 0) await deleteGone(log.places, known, { checkpoints, now })
}
