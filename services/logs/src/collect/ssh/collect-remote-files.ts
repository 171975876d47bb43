import { hash } from 'node:crypto'
import { posix } from 'node:path'
import type { Checkpoint, Chunk, CollectRequest, Stream } from '../collector.ts'
import { standsMilliseconds } from '../files/read-piece.ts'
import { type SshEntry, unitSourceId } from '../source-entry.ts'
import { type FoundRemoteFile, findRemoteFiles } from './find-remote-files.ts'
import type { RemoteFiles } from './remote-files.ts'
import { isSshFailure } from './ssh-failure.ts'

/**
 * How far a file was read: all before `offset`, where line `line` begins. A file is known again by its first bytes, since SFTP tells no
 * inode: `head` is the digest of the first `headBytes`.
 */
type Place = { head: string; headBytes: number; offset: number; line: number; size: number; modifiedAt: number }

const headBytes = 1_024
const chunkBytes = 256 * 1024
/** Where so many of the last lines begin is remembered: more than any entry has, and than come in a chunk. */
const maxMarks = 300_000

const keyOf = (path: string) => `file:${path}`
const digest = (bytes: Buffer, length: number) => hash('sha256', bytes.subarray(0, length), 'hex').slice(0, 32)

const readHead = async (files: RemoteFiles, path: string, signal: AbortSignal): Promise<Buffer> => {
  const parts: Buffer[] = []
  for await (const part of files.read(path, { start: 0, end: headBytes }, signal)) parts.push(part)
  return Buffer.concat(parts)
}

const isSameFile = (head: Buffer, size: number, place: Place): boolean =>
  size >= place.offset && head.length >= place.headBytes && digest(head, place.headBytes) === place.head

type Piece = {
  file: FoundRemoteFile
  head: Buffer
  from: { offset: number; line: number }
  /** Whether more may come: an incomplete last line waits for its end. */
  isLive: boolean
  /** The row that tells how far the log was read. */
  key: string
  stream: Pick<Stream, 'sourceId' | 'format' | 'zone' | 'joins' | 'reference'>
}

/** Reads a file from a place on, in whole lines. */
async function* readPiece(files: RemoteFiles, piece: Piece, signal: AbortSignal): AsyncGenerator<Chunk> {
  const { file, head, from, isLive, key } = piece
  const known = Math.min(head.length, headBytes)
  const placeAt = (offset: number, line: number): Checkpoint => {
    const { size, modifiedAt } = file
    const place: Place = { head: digest(head, known), headBytes: known, offset, line, size, modifiedAt }
    return { key, state: JSON.stringify(place) }
  }
  let marks: number[] = [from.offset]
  let firstMark = from.line
  const stream: Stream = {
    ...piece.stream,
    firstLine: from.line,
    ...(from.offset > 0 && { sample: head }),
    checkpointAt: async (line) => {
      const offset = marks[line - firstMark]
      return offset === undefined ? undefined : placeAt(offset, line)
    },
  }
  let offset = from.offset
  let line = from.line
  let rest: Buffer[] = []
  let waiting = 0
  /** What came up to the last line end, and where it ends. */
  const take = (isLast: boolean): Uint8Array<ArrayBuffer> => {
    const bytes = Buffer.concat(rest)
    const end = isLast ? bytes.length : bytes.lastIndexOf(10) + 1
    for (let at = bytes.indexOf(10); at >= 0 && at < end; at = bytes.indexOf(10, at + 1)) {
      marks.push(offset + at + 1)
      line += 1
    }
    if (marks.length > maxMarks) {
      firstMark += marks.length - maxMarks
      marks = marks.slice(-maxMarks)
    }
    offset += end
    rest = end === bytes.length ? [] : [bytes.subarray(end)]
    waiting = bytes.length - end
    return Uint8Array.from(bytes.subarray(0, end))
  }
  for await (const bytes of files.read(file.path, { start: from.offset }, signal)) {
    rest.push(bytes)
    waiting += bytes.length
    if (waiting < chunkBytes) continue
    const whole = take(false)
    if (whole.length > 0) yield { stream, bytes: whole, checkpoint: placeAt(offset, line) }
  }
  if (signal.aborted) return
  const last = take(!isLive)
  yield { stream, bytes: last, checkpoint: placeAt(offset, line), last: isLive ? 'paused' : 'ended' }
}

/** Where the rest of a log went that was rotated: the file beside it that begins as the log did. */
const findRotated = async (
  files: RemoteFiles,
  { path }: FoundRemoteFile,
  place: Place,
  signal: AbortSignal,
): Promise<{ file: FoundRemoteFile; head: Buffer } | undefined> => {
  const folder = posix.dirname(path)
  const name = posix.basename(path)
  const beside = (await files.list(folder, signal)).filter(
    (entry) =>
      entry.kind === 'file' &&
      entry.name !== name &&
      entry.name.startsWith(name.replace(/\.[^.]*$/, '')) &&
      entry.size >= place.offset,
  )
  for (const { name: other, size, modifiedAt } of beside.toSorted((a, b) => b.modifiedAt - a.modifiedAt)) {
    const file = { path: posix.join(folder, other), unit: '', size, modifiedAt }
    const head = await readHead(files, file.path, signal)
    if (isSameFile(head, size, place)) return { file, head }
  }
  return undefined
}

/** Collects text files of a remote host: what has come since they were read last, over rotation by renaming and by truncation. */
export async function* collectRemoteFiles(
  request: CollectRequest<SshEntry>,
  { files, now }: { files: RemoteFiles; now: () => number },
): AsyncGenerator<Chunk> {
  const { source, checkpoints, force, signal, onProblem } = request
  async function* readLog(file: FoundRemoteFile): AsyncGenerator<Chunk> {
    const key = keyOf(file.path)
    const state = force ? undefined : await checkpoints.get(key)
    const place = state === undefined ? undefined : (JSON.parse(state) as Place)
    if (place && place.offset === file.size && place.modifiedAt === file.modifiedAt) return
    const head = await readHead(files, file.path, signal)
    // What still has no end after a while, or since the last time, is as its program has left it.
    const isLive = now() - file.modifiedAt * 1_000 < standsMilliseconds && file.size !== place?.size
    const stream = {
      sourceId: file.unit === '' ? source.sourceId : unitSourceId(source, file.unit),
      format: source.format,
      zone: source.timezone,
      joins: source.multiline,
      reference: Math.min(now(), file.modifiedAt * 1_000 + 86_400_000),
    }
    if (place && isSameFile(head, file.size, place)) {
      yield* readPiece(files, { file, head, from: place, isLive, key, stream }, signal)
      return
    }
    const before = place && (await findRotated(files, file, place, signal))
    if (place && before) {
      yield* readPiece(files, { ...before, from: place, isLive: false, key, stream }, signal)
    } else if (place && place.offset > 0) {
      onProblem(`${file.path} is another file than it was: what was written before that and not read is lost.`)
    }
    if (signal.aborted) return
    yield* readPiece(files, { file, head, from: { offset: 0, line: 1 }, isLive, key, stream }, signal)
  }
  for (const file of await findRemoteFiles(files, source.path ?? '', { signal, onProblem })) {
    if (signal.aborted) return
    try {
      yield* readLog(file)
    } catch (error) {
      if (!isSshFailure(error, 'remote')) throw error
      onProblem(error.message)
    }
  }
}
