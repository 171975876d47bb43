import type { MatchedEntry } from '../entries/matched-entry.ts'
import type { FileIngest } from '../threads/file-ingest.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { addResults, noResult, type UploadResult } from '../threads/upload-result.ts'
import type { Batch, Checkpoint, Checkpoints, Chunk, Stream } from './collector.ts'
import { countLineFeeds } from './count-line-feeds.ts'
import type { SourceEntry } from './source-entry.ts'

/** What was stored, and the number of bytes that were read for it. */
export type StoredResult = UploadResult & { bytes: number }

/** Stores the chunks of a collector, and moves checkpoints once their data is stored. Calls must not overlap. */
export type ChunkWriter = {
  /** Resolves when there is capacity for more. Throws the first failure of storing so far. */
  take: (chunk: Chunk | Batch) => Promise<void>
  /** Stores all chunks received so far, and closes the entries of streams that cannot be read again from an entry's first line. */
  settle: () => Promise<void>
  /**
   * Ends. `complete` states that all chunks have been received; otherwise entries that may continue are left for the next run. Throws the failure
   * of storing; checkpoints are then at positions before which everything is stored.
   */
  finish: (complete: boolean) => Promise<void>
  /** The result so far. */
  result: () => StoredResult
  /** Line feeds received since everything was last stored. */
  readonly buffered: number
}

export type ChunkWriterOptions = {
  engine: Pick<LogEngine, 'ingestFile' | 'ingest'>
  source: SourceEntry
  checkpoints: Pick<Checkpoints, 'put'>
  /** Receives entries that patterns match before they are stored, and so before any checkpoint is past them. */
  onMatched?: ((entries: MatchedEntry[]) => Promise<void>) | undefined
}

/** The checkpoint of a stream moves at least this often, which bounds what is read again after a crash. */
const bytesPerCheckpoint = 16 * 1024 * 1024
/** The maximum number of ended streams that are still being stored; the next one waits. */
const maxEnding = 16

type Taken = { lastLine: number; checkpoint: Checkpoint }
type OpenStream = {
  ingest: Promise<FileIngest>
  /** Line feeds received so far, and whether the last byte is not one. */
  lineFeeds: number
  endsInLine: boolean
  unsettledBytes: number
  /** Checkpoints of chunks that may not be completely stored yet. */
  taken: Taken[]
}

export const createChunkWriter = ({ engine, source, checkpoints, onMatched }: ChunkWriterOptions): ChunkWriter => {
  const streams = new Map<Stream, OpenStream>()
  const ending = new Set<Promise<void>>()
  let stored = noResult
  let bytes = 0
  let buffered = 0
  let failed: { error: unknown } | undefined
  const ingests = new Set<FileIngest>()

  const open = (stream: Stream): OpenStream => {
    const opened: OpenStream = {
      ingest: engine.ingestFile(
        {
          source: { sourceId: stream.sourceId, branch: null, tenantId: source.tenantId },
          format: stream.format ?? source.format,
          zone: stream.zone ?? source.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
          reference: stream.reference,
          firstLine: stream.firstLine,
          sample: stream.sample,
          joins: stream.joins ?? source.multiline,
          reportsMatches: onMatched !== undefined,
        },
        onMatched,
      ),
      lineFeeds: 0,
      endsInLine: false,
      unsettledBytes: 0,
      taken: [],
    }
    opened.ingest.then(
      (ingest) => ingests.add(ingest),
      () => undefined,
    )
    streams.set(stream, opened)
    return opened
  }
  const firstLineOf = (stream: Stream) => stream.firstLine ?? 1
  const lastLineOf = (stream: Stream, { lineFeeds, endsInLine }: OpenStream) =>
    firstLineOf(stream) + lineFeeds - (endsInLine ? 0 : 1)

  /** Moves the checkpoint to the last position before which everything is stored. */
  const commit = async (stream: Stream, opened: OpenStream, openLine: number): Promise<void> => {
    const done = opened.taken.findLastIndex(({ lastLine }) => lastLine < openLine)
    const stored = opened.taken[done]?.checkpoint
    const isAllStored = openLine > lastLineOf(stream, opened) && done === opened.taken.length - 1
    const isExact = (isAllStored && stored !== undefined) || openLine === Number.POSITIVE_INFINITY
    const checkpoint = isExact || !stream.checkpointAt ? stored : await stream.checkpointAt(openLine)
    opened.taken.splice(0, done + 1)
    if (checkpoint) await checkpoints.put(checkpoint)
  }
  const settleStream = async (stream: Stream, opened: OpenStream, closes: boolean): Promise<void> => {
    const { openLine } = await (await opened.ingest).settle(closes)
    opened.unsettledBytes = 0
    await commit(stream, opened, openLine)
  }
  const account = (ingest: FileIngest) => {
    stored = addResults(stored, ingest.progress())
    ingests.delete(ingest)
  }
  /** Releases a stream that has no more data at the moment. With `closes`, its last entry is complete. */
  const leave = async (stream: Stream, opened: OpenStream, closes: boolean): Promise<void> => {
    const ingest = await opened.ingest
    try {
      if (closes) {
        await ingest.end()
        await commit(stream, opened, Number.POSITIVE_INFINITY)
      } else {
        await settleStream(stream, opened, false)
        await ingest.drop()
      }
    } catch (error) {
      await ingest.drop().catch(() => undefined)
      throw error
    } finally {
      account(ingest)
    }
  }
  const leaveAside = async (stream: Stream, opened: OpenStream, closes: boolean): Promise<void> => {
    streams.delete(stream)
    const mine = leave(stream, opened, closes)
      .catch((error: unknown) => {
        failed ??= { error }
      })
      .finally(() => ending.delete(mine))
    ending.add(mine)
    if (ending.size >= maxEnding) await Promise.race(ending)
  }
  const takeBatch = async ({ batch, entries, lines, formats, bytes: size, checkpoint }: Batch): Promise<void> => {
    if (batch) {
      const result = await engine.ingest(batch)
      const { entries: fresh, duplicates } = result
      const counts = { lines, entries: fresh, duplicates, rejected: 0, multiline_joined: lines - entries }
      stored = addResults(stored, { counts, formats })
    }
    bytes += size
    if (checkpoint) await checkpoints.put(checkpoint)
  }
  const throwFailure = () => {
    if (failed) throw failed.error
  }

  return {
    take: async (taken) => {
      throwFailure()
      if ('batch' in taken) return takeBatch(taken)
      const { stream, bytes: chunk, checkpoint, last } = taken
      const size = chunk.length
      const isNew = !streams.has(stream)
      if (isNew && size === 0 && last !== undefined) {
        // Nothing is to be stored, so no parser is started for it.
        if (last === 'ended' && checkpoint) await checkpoints.put(checkpoint)
        return
      }
      const opened = streams.get(stream) ?? open(stream)
      if (size > 0) {
        const found = countLineFeeds(chunk)
        opened.lineFeeds += found
        opened.endsInLine = chunk[size - 1] !== 10
        opened.unsettledBytes += size
        buffered += found
        bytes += size
        await (await opened.ingest).push(chunk)
      }
      if (checkpoint) opened.taken.push({ lastLine: lastLineOf(stream, opened), checkpoint })
      if (last === 'ended') await leaveAside(stream, opened, true)
      else if (last === 'paused') await leaveAside(stream, opened, stream.checkpointAt === undefined)
      else if (opened.unsettledBytes >= bytesPerCheckpoint) await settleStream(stream, opened, false)
    },
    settle: async () => {
      for (const [stream, opened] of streams) await settleStream(stream, opened, stream.checkpointAt === undefined)
      await Promise.all(ending)
      throwFailure()
      buffered = 0
    },
    finish: async (complete) => {
      for (const [stream, opened] of streams) {
        await leaveAside(stream, opened, complete && stream.checkpointAt === undefined)
      }
      await Promise.all(ending)
      buffered = 0
      throwFailure()
    },
    result: () => ({
      ...[...ingests].map((ingest) => ingest.progress()).reduce(addResults, stored),
      bytes,
    }),
    get buffered() {
      return buffered
    },
  }
}
