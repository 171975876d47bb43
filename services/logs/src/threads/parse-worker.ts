import { parentPort, workerData } from 'node:worker_threads'
import { collectGarbage, collectOnce, createGrowthCheck } from '@trellis/kit/memory'
import { createUploadParser } from '../collect/journald/upload-parser.ts'
import { decodeBatch } from '../entries/entry-batch.ts'
import { matchedEntries } from '../entries/matched-entry.ts'
import { type UserFormatSet, useFormats } from '../formats/active-formats.ts'
import { createFileParser, type FileParser, type ParseCounts } from '../formats/file-parser.ts'
import { utc, zoneOf } from '../formats/zone.ts'
import { type PushedOptions, readPushed } from '../ingest/read-pushed.ts'
import { usePatterns } from '../patterns/active-patterns.ts'
import { createEnricher } from '../patterns/enricher.ts'
import { releaseBuffers } from '../release-buffers.ts'
import { createBatchAnalyser, transferablesOf } from '../segments/batch-analysis.ts'
import type { IngestResult } from '../segments/shard.ts'
import { enterBacklog, waitingIn } from './backlog.ts'
import { createCalls, type Port } from './calls.ts'
import type { ParseOptions, ParserOptions, PushedResult, StoreCalls } from './parse-calls.ts'

/**
 * The thread that parses bytes into batches of entries. A batch is sent to be stored at once; `push` resolves when all batches of the chunk are
 * stored.
 */
if (!parentPort) throw new Error('This module must run as a worker thread.')
const parent = parentPort
const port: Port = {
  send: (message, transfer) => parent.postMessage(message, transfer),
  receive: (listener) => void parent.on('message', listener),
}

const megabyte = 1024 * 1024
/** The growth of the old generation within half a million lines, with 13 MB alive. */
const maxGrowth = 16 * megabyte
/** The garbage that is worth collecting when idle, and how long the thread must be idle. */
const maxWhenIdle = 4 * megabyte
const idleMilliseconds = 200
const { analyses, backlog, patterns } = workerData as ParserOptions
usePatterns(patterns)
const analyse = createBatchAnalyser(createEnricher())

const collectIfGrown = createGrowthCheck(maxGrowth, collectOnce)
const collectWhenIdle = createGrowthCheck(maxWhenIdle, collectGarbage)
type Session = { parser: FileParser; storing: Promise<void>[] }
const sessions = new Map<number, Session>()

const sessionOf = (id: number): Session => {
  const session = sessions.get(id)
  if (!session) throw new Error(`Upload ${id} is not open in this thread.`)
  return session
}
/** Removes a file; after the last one, if no other comes within a moment, collects the garbage that all of them left. */
const leave = (id: number) => {
  sessions.delete(id)
  if (sessions.size > 0) return
  setTimeout(() => {
    if (sessions.size === 0) collectWhenIdle()
  }, idleMilliseconds).unref()
}
const sumOf = (results: readonly IngestResult[]): IngestResult => ({
  entries: results.reduce((sum, { entries }) => sum + entries, 0),
  duplicates: results.reduce((sum, { duplicates }) => sum + duplicates, 0),
})
const settle = async (session: Session): Promise<ParseCounts> => {
  const storing = session.storing
  session.storing = []
  const counts = { ...session.parser.counts, formats: { ...session.parser.counts.formats } }
  await Promise.all(storing)
  return counts
}

/**
 * Batches of files are analysed by the thread with less work: by the index thread if it has no backlog, else by this one. So both cores are busy,
 * however the work is distributed.
 */
const store = (id: number, batch: ArrayBuffer, reportsMatches: boolean): Promise<void> => {
  const isMine = analyses && waitingIn(backlog) > 0
  const found = isMine || reportsMatches ? analyse(decodeBatch(batch)) : undefined
  const matched = found && reportsMatches ? matchedEntries(decodeBatch(batch), found) : undefined
  const analysis = analyses ? found : undefined
  const moved = analysis ? transferablesOf(analysis) : []
  enterBacklog(backlog)
  const stored = calls.call('store', [id, batch, analysis, matched], [batch, ...moved])
  // The caller that waits for the chunk receives a failure; until then it must not count as an unhandled rejection.
  stored.catch(() => undefined)
  return stored
}

/** Batches of pushed bodies are analysed here: their senders wait for the answer anyway, and the index thread serves searches meanwhile. */
const storePushed = (batch: ArrayBuffer): Promise<IngestResult> => {
  const analysis = analyses ? analyse(decodeBatch(batch)) : undefined
  const moved = analysis ? transferablesOf(analysis) : []
  enterBacklog(backlog)
  return calls.call('storePushed', [batch, analysis], [batch, ...moved])
}

const calls = createCalls<StoreCalls>(port, {
  open: (
    id: number,
    { zone, reference, firstYear, reportsMatches = false, mayBeExport, ...options }: ParseOptions,
    userFormats: UserFormatSet,
  ) => {
    useFormats(userFormats)
    const session: Session = {
      storing: [],
      parser: (mayBeExport === true ? createUploadParser : createFileParser)({
        ...options,
        time: { zone: (zone === undefined ? undefined : zoneOf(zone)) ?? utc, reference, firstYear },
        now: Date.now,
        onBatch: (batch) => session.storing.push(store(id, batch, reportsMatches)),
      }),
    }
    sessions.set(id, session)
  },
  push: (id: number, chunk: Uint8Array<ArrayBuffer>) => {
    const session = sessionOf(id)
    session.parser.push(chunk)
    releaseBuffers([chunk.buffer])
    collectIfGrown()
    return settle(session)
  },
  end: (id: number) => {
    const session = sessionOf(id)
    session.parser.end()
    leave(id)
    return settle(session)
  },
  settle: async (id: number, closes: boolean) => {
    const session = sessionOf(id)
    const openLine = session.parser.settle(closes)
    return { ...(await settle(session)), openLine }
  },
  drop: leave,
  pushed: async (body: Uint8Array<ArrayBuffer>, options: PushedOptions, userFormats: UserFormatSet) => {
    useFormats(userFormats)
    const storing: Promise<IngestResult>[] = []
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    const rejected = readPushed(bytes, options, (batch) => storing.push(storePushed(batch)))
    collectIfGrown()
    // Waits for all batches even if one fails: the memory of the request is reserved until then.
    await Promise.allSettled(storing)
    return { ...sumOf(await Promise.all(storing)), rejected } satisfies PushedResult
  },
  rest: (processGoesOn: boolean) => {
    if (processGoesOn) collectGarbage()
  },
})
