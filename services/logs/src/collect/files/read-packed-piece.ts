import type { Chunk, Stream } from '../collector.ts'
import { countLineFeeds } from '../count-line-feeds.ts'
import { createExcerpts, unpacked } from './excerpts.ts'
import { type FilePosition, type FileStamp, modifiedMilliseconds, sequenceOf, toCheckpoint } from './file-position.ts'
import type { Packing } from './log-names.ts'
import { maxWaitingBytes, type ReadPieceOptions } from './read-piece.ts'
import { encodingBytes, encodingOf, type TextEncoding } from './text-encoding.ts'

export type ReadPackedOptions = ReadPieceOptions & {
  packing: Exclude<Packing, 'plain'>
  maxBytes: number
  onProblem: (problem: string) => void
}

/** A compressed file that was modified more recently may be incomplete. */
const settledMilliseconds = 60_000

/** The encoding of decompressed content, and all of the content. */
const detected = async (content: AsyncGenerator<Uint8Array>) => {
  const first: Uint8Array[] = []
  for (let size = 0; size < encodingBytes; ) {
    const next = await content.next()
    if (next.done) break
    first.push(next.value)
    size += next.value.length
  }
  async function* all() {
    try {
      yield* first
      yield* content
    } finally {
      await content.return(undefined)
    }
  }
  return { encoding: encodingOf(Buffer.concat(first)), content: all() }
}

/** Text with two bytes per code unit is decoded line by line, so that no character is split, except in a line that exceeds the limit. */
const endOf = (bytes: Uint8Array, { unitBytes, lastLineEnd }: TextEncoding): number => {
  if (unitBytes === 1) return bytes.length
  const end = lastLineEnd(bytes)
  return end === 0 && bytes.length >= maxWaitingBytes ? bytes.length - (bytes.length % unitBytes) : end
}

const isBroken = (error: unknown) => error instanceof Error && 'code' in error && String(error.code).startsWith('Z')

/** The content of a compressed file after its position. The position moves once, when all is stored, because decompression cannot resume in the middle. */
export async function* readPackedPiece(options: ReadPackedOptions): AsyncGenerator<Chunk> {
  const { path, position, packing, force, maxBytes, now, signal, onProblem } = options
  const start = force ? { offset: 0, line: 1 } : { offset: position.offset, line: position.line }
  const stream: Stream = {
    ...options.stream,
    firstLine: sequenceOf(position.generation, start.line),
    reference: modifiedMilliseconds(position.stamp),
  }
  const excerpts = createExcerpts()
  let at = 0
  let { line } = start
  let waiting: Uint8Array = new Uint8Array(0)
  try {
    const { encoding, content } = await detected(unpacked(path, packing, options.open))
    const take = (bytes: Uint8Array): Chunk => {
      const text = encoding.toLines(Uint8Array.from(bytes))
      line += countLineFeeds(text)
      return { stream, bytes: text }
    }
    for await (const chunk of content) {
      const skipped = Math.min(chunk.length, Math.max(0, start.offset - at))
      excerpts.add(chunk)
      at += chunk.length
      const read = waiting.length === 0 ? chunk.subarray(skipped) : Buffer.concat([waiting, chunk.subarray(skipped)])
      const end = endOf(read, encoding)
      waiting = read.subarray(end)
      if (end > 0) yield take(read.subarray(0, end))
      if (signal.aborted) return
      if (at > maxBytes) {
        onProblem(
          `${path} is larger than ${maxBytes} bytes when it is decompressed (SERVICE_MAX_EXPANDED_MB): the rest is skipped.`,
        )
        break
      }
    }
    if (waiting.length > 0) yield take(waiting)
  } catch (error) {
    if (!isBroken(error)) throw error
    if (now() - modifiedMilliseconds(position.stamp) < settledMilliseconds) return
    onProblem(`${path} is truncated or damaged: what is before that is stored.`)
  }
  const end: FilePosition & { stamp: FileStamp } = {
    ...position,
    path,
    head: excerpts.head(),
    tail: excerpts.tail(),
    offset: at,
    line,
  }
  yield { stream, bytes: new Uint8Array(0), checkpoint: toCheckpoint(end), last: 'ended' }
}
