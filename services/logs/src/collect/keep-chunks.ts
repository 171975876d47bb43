import type { MatchedEntry } from '../entries/matched-entry.ts'
import type { FileIngest } from '../threads/file-ingest.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { addResults, noResult, type UploadResult } from '../threads/upload-result.ts'
import type { Batch, Checkpoint, Checkpoints, Chunk, Stream } from './collector.ts'
import { countLineFeeds } from './count-line-feeds.ts'
import type { SourceEntry } from './source-entry.ts'

/** What was stored, and how many bytes were read for it. */
export type Kept = UploadResult & { bytes: number }

/** Takes what a collector gives, stores it, and moves checkpoints once it is stored. Not to be used by two at once. */
export type Keeper = {
  /** Resolves when there is room for more. Throws what storing anything so far has failed with. */
  take: (chunk: Chunk | Batch) => Promise<void>
  /** Stores all that was taken, and closes entries of streams that cannot be read again from an entry's first line. */
  settle: () => Promise<void>
  /**
   * Ends. `complete` says that all chunks have been taken; else what may go on is left for next time. Throws what storing has failed with;
   * the checkpoints stand then where all before them is stored.
   */
  finish: (complete: boolean) => Promise<void>
  /** What is stored so far. */
  kept: () => Kept
  /** Line ends that were taken since all was last stored. */
  readonly buffered: number
}

export type KeeperOptions = {
  engine: Pick<LogEngine, 'ingestFile' | 'ingest'>
  source: SourceEntry
  checkpoints: Pick<Checkpoints, 'put'>
  /** Hears of entries that patterns match before they are stored, and so before any checkpoint is past them. */
  onMatched?: ((entries: MatchedEntry[]) => Promise<void>) | undefined
}

/** Checkpoints move after so many bytes of a stream, so that after a crash no more is read again. */
const bytesPerCheckpoint = 16 * 1024 * 1024
/** Streams that have ended and are still being stored; the next one waits. */
const maxEnding = 16

type Taken = { lastLine: number; checkpoint: Checkpoint }
type OpenStream = {
  ingest: Promise<FileIngest>
  /** Line feeds taken so far, and whether bytes have come after the last. */
  lineFeeds: number
  endsInLine: boolean
  unsettledBytes: number
  /** Checkpoints of chunks that may not all be stored yet. */
  taken: Taken[]
}

export const createKeeper = ({ engine, source, checkpoints, onMatched }: KeeperOptions): Keeper => {
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
          tellsMatches: onMatched !== undefined,
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

  /** Moves the checkpoint to where all before it is stored. */
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
  /** Lets a stream go that has no more for now. With `closes` its last entry is complete. */
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
      const kept = await engine.ingest(batch)
      const { entries: fresh, duplicates } = kept
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
        // Nothing to store, and no thread to start for it.
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
    kept: () => ({
      ...[...ingests].map((ingest) => ingest.progress()).reduce(addResults, stored),
      bytes,
    }),
    get buffered() {
      return buffered
    },
  }
}
