import { stat } from 'node:fs/promises'
import type { LocalFiles } from '../../local-files/local-files.ts'
import type { Checkpoints, Chunk, Collector, CollectRequest } from '../collector.ts'
import { type LocalFileEntry, unitSourceId } from '../source-entry.ts'
import { holds, isStartOf, type OpenFile, startOf } from './excerpts.ts'
import {
  type FilePlace,
  fromCheckpoint,
  isSameStamp,
  keyOf,
  logPrefix,
  modifiedMilliseconds,
  noExcerpt,
  placePrefix,
  stampOf,
  toCheckpoint,
} from './file-place.ts'
import { cannotBeRead, type FoundFile, findFiles } from './find-files.ts'
import { isBinaryFile } from './is-binary.ts'
import { type LogWithPlaces, logsWithPlaces } from './logs-with-places.ts'
import { type Compare, type Matched, matchPieces, type StampedFile } from './match-pieces.ts'
import { readPackedPiece } from './read-packed-piece.ts'
import { readPiece, standsMilliseconds } from './read-piece.ts'

export type FileCollectorOptions = {
  localFiles: LocalFiles
  /** Of a packed file, unpacked. */
  maxExpandedBytes: number
  now: () => number
}

/** The place of a piece that is gone is kept for so long, since it may come back packed. */
const keptMilliseconds = 30 * 86_400_000

type Known = { file: StampedFile; place: FilePlace }

const isGone = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

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

const stampFiles = async (
  files: readonly FoundFile[],
  onProblem: (problem: string) => void,
): Promise<StampedFile[]> => {
  const stamped: StampedFile[] = []
  for (const file of files) {
    try {
      stamped.push({ ...file, stamp: stampOf(await stat(file.path, { bigint: true })) })
    } catch (error) {
      if (!isGone(error)) onProblem(cannotBeRead(file.path, error))
    }
  }
  return stamped.toSorted(byAge)
}

/** Whether all that a file has to say is stored; a line that waits for its end is asked for again once the file has stood for a while. */
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
  { checkpoints, open }: { checkpoints: Checkpoints; open: OpenFile },
): Promise<Known[]> => {
  const known: Known[] = []
  let generation = latest
  for (const match of matched) {
    if (match.kind === 'known') known.push(match)
    if (match.kind !== 'new') continue
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

/** The logs that some files are pieces of; their places are asked for one by one. */
async function* logsByName(
  found: readonly FoundFile[],
  only: ReadonlySet<string>,
  checkpoints: Checkpoints,
): AsyncGenerator<LogWithPlaces> {
  const names = new Set(found.filter(({ path }) => only.has(path)).map(({ log }) => log))
  for (const name of names) {
    const places = await Array.fromAsync(checkpoints.list(logPrefix(name)), fromCheckpoint)
    yield { name, files: found.filter(({ log }) => log === name), places }
  }
}

/** Collects files of this machine: all of a source's logs, one after the other, with the files that rotation has made of them. */
export const createFileCollector = ({
  localFiles,
  maxExpandedBytes,
  now,
}: FileCollectorOptions): Collector<LocalFileEntry> => {
  /** Keeps what rows say in step with what there is, and forgets pieces that have long gone; never the newest, which counts them. */
  const forgetGone = async (places: readonly FilePlace[], known: readonly Known[], checkpoints: Checkpoints) => {
    const there = new Set(known.map(({ place }) => place.generation))
    const newest = Math.max(...places.map(({ generation }) => generation), ...there)
    const keys = places
      .filter(({ generation, stamp }) => generation !== newest && !there.has(generation) && isLongGone(stamp))
      .map(({ log, generation }) => keyOf(log, generation))
    if (keys.length > 0) await checkpoints.remove(keys)
  }
  const isLongGone = (stamp: FilePlace['stamp']) =>
    stamp === null || now() - modifiedMilliseconds(stamp) > keptMilliseconds

  async function* readKnown({ file, place }: Known, request: CollectRequest<LocalFileEntry>): AsyncGenerator<Chunk> {
    const { source, checkpoints, force, signal, onProblem } = request
    const isMoved = place.path !== file.path
    if (place.isBinary) {
      if (isMoved || force) onProblem(`${file.path} is left out: it is no text.`)
      return
    }
    if (!force && isDone({ file, place }, now())) {
      if (isMoved) await checkpoints.put(toCheckpoint({ ...place, path: file.path }))
      return
    }
    const options = {
      path: file.path,
      open: localFiles.for(source.addedBy).open,
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
      if (!isGone(error)) onProblem(cannotBeRead(file.path, error))
    }
  }

  async function* collect(request: CollectRequest<LocalFileEntry>): AsyncGenerator<Chunk> {
    const { source, checkpoints, only, signal, onProblem } = request
    const access = localFiles.for(source.addedBy)
    const { open } = access
    const compare = compareBy(open)
    const found = await findFiles(source, { access, signal, onProblem })
    const logs = only
      ? logsByName(found, only, checkpoints)
      : logsWithPlaces(found, checkpoints.list(placePrefix), fromCheckpoint)
    for await (const log of logs) {
      if (signal.aborted) return
      const stamped = await stampFiles(log.files, onProblem)
      const matched = await matchPieces(stamped, log.places, compare)
      const latest = log.places.reduce((max, { generation }) => Math.max(max, generation), -1)
      const known = await withPlaces(matched, log.name, latest, { checkpoints, open })
      for (const each of known) {
        if (signal.aborted) return
        yield* readKnown(each, request)
      }
      if (stamped.length > 0) await forgetGone(log.places, known, checkpoints)
    }
  }
  return { collect }
}
