import { parentPort } from 'node:worker_threads'
import { createFileParser, type FileParser, type ParseCounts } from '../formats/file-parser.ts'
import { logFormats } from '../formats/library/mod.ts'
import { verifyFormats } from '../formats/verify.ts'
import { utc, zoneOf } from '../formats/zone.ts'
import { createCalls, type Port } from './calls.ts'
import type { KeepCalls, ParseOptions } from './parse-calls.ts'

/** The thread that turns bytes into batches of entries. A batch goes on to be kept at once; a chunk is answered when all of its are. */
if (!parentPort) throw new Error('This module is the start of a thread.')
const parent = parentPort
const port: Port = {
  send: (message, transfer) => parent.postMessage(message, transfer),
  receive: (listener) => void parent.on('message', listener),
}

verifyFormats(logFormats)
type Session = { parser: FileParser; keeping: Promise<void>[] }
const sessions = new Map<number, Session>()

const sessionOf = (id: number): Session => {
  const session = sessions.get(id)
  if (!session) throw new Error(`Upload ${id} is not open in this thread.`)
  return session
}
const settle = async (session: Session): Promise<ParseCounts> => {
  const keeping = session.keeping
  session.keeping = []
  const counts = { ...session.parser.counts, formats: { ...session.parser.counts.formats } }
  await Promise.all(keeping)
  return counts
}

const calls = createCalls<KeepCalls>(port, {
  open: (id: number, { source, format, zone, reference, firstYear }: ParseOptions) => {
    const session: Session = {
      keeping: [],
      parser: createFileParser({
        source,
        format,
        time: { zone: (zone === undefined ? undefined : zoneOf(zone)) ?? utc, reference, firstYear },
        now: Date.now,
        onBatch: (batch) => {
          const kept = calls.call('keep', [id, batch], [batch])
          // Whoever waits for the chunk hears of a failure; until then it must not count as unhandled.
          kept.catch(() => undefined)
          session.keeping.push(kept)
        },
      }),
    }
    sessions.set(id, session)
  },
  push: (id: number, chunk: Uint8Array) => {
    const session = sessionOf(id)
    session.parser.push(chunk)
    return settle(session)
  },
  end: (id: number) => {
    const session = sessionOf(id)
    session.parser.end()
    sessions.delete(id)
    return settle(session)
  },
  drop: (id: number) => {
    sessions.delete(id)
  },
  rest: () => undefined,
})
