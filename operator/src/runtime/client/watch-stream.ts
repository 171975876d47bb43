import { ConnectionError } from './api-error.ts'
import type { WatchEvent } from './client.ts'

/** Maximum length of a line in bytes; etcd accepts objects of 1.5 MiB. */
const longestLine = 16 * 1024 * 1024

const newline = 0x0a

/** A line of a watch that is not an event. The watch is unusable from there on, since that line's change is lost. */
export class MalformedEvent extends Error {
  override name = 'MalformedEvent'
}

const types = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'])

/** Parses one line of a watch. Throws MalformedEvent. */
export const readWatchEvent = <T>(line: string): WatchEvent<T> => {
  try {
    const event = JSON.parse(line) as WatchEvent<T>
    if (types.has(event.type) && typeof event.object === 'object' && event.object !== null) return event
  } catch (error) {
    throw new MalformedEvent(`A line of a watch could not be read: ${line.slice(0, 200)}`, { cause: error })
  }
  throw new MalformedEvent(`A line of a watch is not an event: ${line.slice(0, 200)}`)
}

/**
 * Splits chunks of bytes into lines; a line may span any number of chunks, and the last one need not be terminated.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let parts: Uint8Array[] = []
  let length = 0
  const text = (end: Uint8Array): string => {
    const line = parts.length === 0 ? end : Buffer.concat([...parts, end])
    parts = []
    length = 0
    return Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('utf8')
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      yield text(chunk.subarray(start, end))
      start = end + 1
    }
    const rest = chunk.subarray(start)
    length += rest.length
    if (length > longestLine) throw new MalformedEvent(`A line of a watch is longer than ${longestLine} bytes.`)
    if (rest.length > 0) parts.push(rest)
  }
  if (parts.length > 0) yield text(new Uint8Array())
}

/**
 * The events of a watch. Throws the signal's reason after an abort, MalformedEvent or ConnectionError; leaving the loop
 * ends the watch.
 */
export async function* readWatchEvents<T>(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<T>> {
  try {
    for await (const line of readLines(chunks)) if (line !== '') yield readWatchEvent<T>(line)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof MalformedEvent) throw error
    throw new ConnectionError('The watch broke off.', { maybeSent: true, cause: error })
  }
}
