import { parentPort, workerData } from 'node:worker_threads'
import { createUploadParser } from '../collect/journald/upload-parser.ts'
import { decodeBatch } from '../entries/entry-batch.ts'
import { matchedEntries } from '../entries/matched-entry.ts'
import { createFileParser, type FileParser, type ParseCounts } from '../formats/file-parser.ts'
import { type UserFormatSet, useFormats } from '../formats/in-force.ts'
import { utc, zoneOf } from '../formats/zone.ts'
import { type PushedOptions, readPushed } from '../ingest/read-pushed.ts'
import { letGo } from '../let-go.ts'
import { createEnricher } from '../patterns/enricher.ts'
import { usePatterns } from '../patterns/in-force.ts'
import { createBatchAnalyser, transferablesOf } from '../segments/batch-analysis.ts'
import type { IngestResult } from '../segments/shard.ts'
import { handOver, waitingIn } from './backlog.ts'
import { createCalls, type Port } from './calls.ts'
import { collectGarbage, collectOnce, createGrowthCheck } from './collect-garbage.ts'
import type { KeepCalls, ParseOptions, ParserOptions, PushedResult } from './parse-calls.ts'

/** The thread that turns bytes into batches of entries. A batch goes on to be kept at once; a chunk is answered when all of its are. */
if (!parentPort) throw new Error('This module is the start of a thread.')
const parent = parentPort
const port: Port = {
  send: (message, transfer) => parent.postMessage(message, transfer),
  receive: (listener) => void parent.on('message', listener),
}

const megabyte = 1024 * 1024
/** What becomes old in half a million lines, while 13 MB are alive. */
const maxGrowth = 16 * megabyte
/** What is worth collecting when nobody waits, and how long to see that nobody does. */
const maxAtRest = 4 * megabyte
const restMilliseconds = 200
const { analyses, backlog, patterns } = workerData as ParserOptions
usePatterns(patterns)
const analyse = createBatchAnalyser(createEnricher())

const collectIfGrown = createGrowthCheck(maxGrowth, collectOnce)
const collectAtRest = createGrowthCheck(maxAtRest, collectGarbage)
type Session = { parser: FileParser; keeping: Promise<void>[] }
const sessions = new Map<number, Session>()

const sessionOf = (id: number): Session => {
  const session = sessions.get(id)
  if (!session) throw new Error(`Upload ${id} is not open in this thread.`)
  return session
}
/** Lets a file go; when it was the last one, and no other comes at once, what all of them left goes, too. */
const leave = (id: number) => {
  sessions.delete(id)
  if (sessions.size > 0) return
  setTimeout(() => {
    if (sessions.size === 0) collectAtRest()
  }, restMilliseconds).unref()
}
const sumOf = (results: readonly IngestResult[]): IngestResult => ({
  entries: results.reduce((sum, { entries }) => sum + entries, 0),
  duplicates: results.reduce((sum, { duplicates }) => sum + duplicates, 0),
})
const settle = async (session: Session): Promise<ParseCounts> => {
  const keeping = session.keeping
  session.keeping = []
  const counts = { ...session.parser.counts, formats: { ...session.parser.counts.formats } }
  await Promise.all(keeping)
  return counts
}

/**
 * Of files, whoever has less to do finds out what the texts of a batch say: the indexing thread where nothing waits for it, else this one.
 * Both cores are busy so, however the work is spread.
 */
const keep = (id: number, batch: ArrayBuffer, tellsMatches: boolean): Promise<void> => {
  const isMine = analyses && waitingIn(backlog) > 0
  const found = isMine || tellsMatches ? analyse(decodeBatch(batch)) : undefined
  const matched = found && tellsMatches ? matchedEntries(decodeBatch(batch), found) : undefined
  const analysis = analyses ? found : undefined
  const moved = analysis ? transferablesOf(analysis) : []
  handOver(backlog)
  const kept = calls.call('keep', [id, batch, analysis, matched], [batch, ...moved])
  // Whoever waits for the chunk hears of a failure; until then it must not count as unhandled.
  kept.catch(() => undefined)
  return kept
}

/** Those who push wait for an answer anyway; the indexing thread has searches to answer meanwhile. */
const keepPushed = (batch: ArrayBuffer): Promise<IngestResult> => {
  const analysis = analyses ? analyse(decodeBatch(batch)) : undefined
  const moved = analysis ? transferablesOf(analysis) : []
  handOver(backlog)
  return calls.call('keepPushed', [batch, analysis], [batch, ...moved])
}

const calls = createCalls<KeepCalls>(port, {
  open: (
    id: number,
    { zone, reference, firstYear, tellsMatches, mayBeExport, ...options }: ParseOptions,
    userFormats: UserFormatSet,
  ) => {
    useFormats(userFormats)
    const session: Session = {
      keeping: [],
      parser: (mayBeExport === true ? createUploadParser : createFileParser)({
        ...options,
        time: { zone: (zone === undefined ? undefined : zoneOf(zone)) ?? utc, reference, firstYear },
        now: Date.now,
        onBatch: (batch) => session.keeping.push(keep(id, batch, tellsMatches === true)),
      }),
    }
    sessions.set(id, session)
  },
  push: (id: number, chunk: Uint8Array<ArrayBuffer>) => {
    const session = sessionOf(id)
    session.parser.push(chunk)
    letGo([chunk.buffer])
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
    const keeping: Promise<IngestResult>[] = []
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    const rejected = readPushed(bytes, options, (batch) => keeping.push(keepPushed(batch)))
    collectIfGrown()
    // All are waited for, also when one fails: what the request holds is held until then.
    await Promise.allSettled(keeping)
    return { ...sumOf(await Promise.all(keeping)), rejected } satisfies PushedResult
  },
  rest: (processGoesOn: boolean) => {
    if (processGoesOn) collectGarbage()
  },
})
