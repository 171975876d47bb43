import type { ServerResponse } from 'node:http'
import { isServiceError, toServiceError } from '@trellis/kit/errors'
import type { FastifyReply } from 'fastify'
import { drained } from './drained.ts'
import { commentText, type Frame, frameText, isWritten, type WrittenFrames } from './frame.ts'
import type { Beating, Heartbeat } from './heartbeat.ts'

export type EventStreams = {
  heartbeat: Heartbeat
  /** Aborted when the process shuts down: streams end first. */
  closing: AbortSignal
  onFrames: (count: number) => void
}

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
  connection: 'keep-alive',
}

/** How long a client should wait before it reconnects, with jitter so that not all reconnect at once. */
const retryText = () => `retry: ${2_000 + Math.floor(Math.random() * 3_000)}\n\n`

/**
 * Batches the writes of one turn of the event loop, and reports whether the client keeps up. A class, because there is one for each of
 * thousands of idle streams, and closures over the same state take several times as much memory.
 */
class EventWriter implements Beating {
  readonly #raw: ServerResponse
  readonly #comment: string
  #corked = false
  lastWrite = performance.now()
  stuckSince: number | undefined

  constructor(raw: ServerResponse, comment: string) {
    this.#raw = raw
    this.#comment = comment
  }

  write(text: string | Uint8Array): boolean {
    if (!this.#corked) {
      this.#corked = true
      this.#raw.cork()
      setImmediate(uncork, this)
    }
    this.lastWrite = performance.now()
    return this.#raw.write(text)
  }

  uncork(): void {
    this.#corked = false
    this.#raw.uncork()
  }

  /** Waits for the client, and records since when for the heartbeat. */
  async drain(): Promise<void> {
    this.stuckSince = performance.now()
    await drained(this.#raw)
    this.stuckSince = undefined
  }

  beat(): void {
    this.write(commentText(this.#comment))
  }

  abort(): void {
    this.#raw.destroy()
  }
}

const uncork = (writer: EventWriter) => writer.uncork()

const failedFrame = (error: unknown): Frame => {
  const { status, detail } = toServiceError(error)
  return { id: undefined, event: 'failed', data: { status, detail } }
}

/** Why a stream failed: by the error of its signal, such as that of an expired session, rather than by what followed from it. */
const causeOf = (error: unknown, { reason }: AbortSignal): unknown => (isServiceError(reason) ? reason : error)

/**
 * Sends messages as server-sent events until the stream ends, the client disconnects, its session expires, or the process shuts down. The next message
 * is requested from the service only when the client has read the last ones (backpressure): a slow client fills its socket's buffer at most.
 * An error before the first message is thrown, for a plain answer; a later one is sent as the event `failed`, and so is the reason of `signal`.
 */
export const sendEvents = async (
  messages: AsyncIterable<Record<string, unknown>>,
  toFrame: (message: Record<string, unknown>) => Frame | WrittenFrames | undefined,
  reply: FastifyReply,
  { heartbeat, closing, onFrames }: EventStreams,
  { heartbeat: comment, headOnly, signal }: { heartbeat: string; headOnly: boolean; signal: AbortSignal },
): Promise<void> => {
  const iterator = messages[Symbol.asyncIterator]()
  const first = await iterator.next().catch((error: unknown) => {
    throw causeOf(error, signal)
  })
  reply.hijack()
  const { raw } = reply
  raw.writeHead(reply.statusCode, { ...(reply.getHeaders() as Record<string, string>), ...headers })
  if (headOnly) {
    raw.end()
    await iterator.return?.()
    return
  }
  raw.flushHeaders()
  const writer = new EventWriter(raw, comment)
  heartbeat.add(writer)
  try {
    for (let next = first; !next.done; next = await iterator.next()) {
      if (raw.destroyed) return
      const frame = toFrame(next.value)
      if (!frame) continue
      onFrames(isWritten(frame) ? frame.count : 1)
      if (!writer.write(isWritten(frame) ? frame.text : frameText(frame))) await writer.drain()
    }
    if (closing.aborted) writer.write(retryText())
    else signal.throwIfAborted()
  } catch (error) {
    if (closing.aborted) writer.write(retryText())
    else if (!raw.destroyed) writer.write(frameText(failedFrame(causeOf(error, signal))))
  } finally {
    heartbeat.remove(writer)
    if (!raw.destroyed) raw.end()
    await iterator.return?.()
  }
}
