import type { Chunk, Stream } from '../collector.ts'
import { countLineFeeds } from '../count-line-feeds.ts'
import { createExcerpts, unpacked } from './excerpts.ts'
import { type FilePlace, type FileStamp, modifiedMilliseconds, sequenceOf, toCheckpoint } from './file-place.ts'
import type { Packing } from './log-names.ts'
import type { ReadPieceOptions } from './read-piece.ts'

export type ReadPackedOptions = ReadPieceOptions & {
  packing: Exclude<Packing, 'plain'>
  maxBytes: number
  onProblem: (problem: string) => void
}

/** A packed file that is younger may still be being written. */
const settledMilliseconds = 60_000

const isBroken = (error: unknown) => error instanceof Error && 'code' in error && String(error.code).startsWith('Z')

/** What a packed file says past its place. Its place moves once, when all of it is stored: what was unpacked cannot be gone back to. */
export async function* readPackedPiece(options: ReadPackedOptions): AsyncGenerator<Chunk> {
  const { path, place, packing, force, maxBytes, now, signal, onProblem } = options
  const start = force ? { offset: 0, line: 1 } : { offset: place.offset, line: place.line }
  const stream: Stream = {
    ...options.stream,
    firstLine: sequenceOf(place.generation, start.line),
    reference: modifiedMilliseconds(place.stamp),
  }
  const excerpts = createExcerpts()
  let at = 0
  let { line } = start
  try {
    for await (const chunk of unpacked(path, packing, options.open)) {
      const skipped = Math.min(chunk.length, Math.max(0, start.offset - at))
      excerpts.add(chunk)
      at += chunk.length
      line += countLineFeeds(chunk, skipped)
      if (skipped < chunk.length) yield { stream, bytes: Uint8Array.from(chunk.subarray(skipped)) }
      if (signal.aborted) return
      if (at > maxBytes) {
        onProblem(
          `${path} is larger than ${maxBytes} bytes when it is unpacked (SERVICE_MAX_EXPANDED_MB): the rest is left out.`,
        )
        break
      }
    }
  } catch (error) {
    if (!isBroken(error)) throw error
    if (now() - modifiedMilliseconds(place.stamp) < settledMilliseconds) return
    onProblem(`${path} breaks off or is damaged: what is before that is kept.`)
  }
  const end: FilePlace & { stamp: FileStamp } = {
    ...place,
    path,
    head: excerpts.head(),
    tail: excerpts.tail(),
    offset: at,
    line,
  }
  yield { stream, bytes: new Uint8Array(0), checkpoint: toCheckpoint(end), last: 'ended' }
}
