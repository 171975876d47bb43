import type { ServerResponse } from 'node:http'
import { toFailure } from '@trellis/kit/errors'
import type { FastifyReply } from 'fastify'
import { drained } from './drained.ts'
import { commentText, type Frame, frameText, isWritten, type WrittenFrames } from './frame.ts'
import type { Heartbeat } from './heartbeat.ts'

export type EventStreams = {
  heartbeat: Heartbeat
  /** Aborted when the process shuts down: streams end first. */
  closing: AbortSignal
  onFrames: (count: number) => void
}

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  connection: 'keep-alive',
}

/** How long a client should wait before it comes back, spread so that not all come at once. */
const retryText = () => `retry: ${2_000 + Math.floor(Math.random() * 3_000)}\n\n`

/** Writes texts of one turn of the event loop as one, and tells whether the client keeps up. */
const createWriter = (raw: ServerResponse) => {
  let lastWrite = performance.now()
  let stuckSince: number | undefined
  let corked = false
  const write = (text: string | Uint8Array): boolean => {
    if (!corked) {
      corked = true
      raw.cork()
      setImmediate(() => {
        corked = false
        raw.uncork()
      })
    }
    lastWrite = performance.now()
    return raw.write(text)
  }
  return {
    write,
    lastWrite: () => lastWrite,
    stuckSince: () => stuckSince,
    /** Waits for the client, and lets the heartbeat see since when. */
    drain: async () => {
      stuckSince = performance.now()
      await drained(raw)
      stuckSince = undefined
    },
  }
}

const failedFrame = (error: unknown): Frame => {
  const { status, detail } = toFailure(error)
  return { id: undefined, event: 'failed', data: { status, detail } }
}

/**
 * Sends messages as server-sent events until the stream ends, the client leaves, or the process shuts down. The service
 * is asked for the next message only when the client has taken the last ones: a slow client holds nothing here but its socket's buffer.
 * A failure before the first message is thrown, for a plain answer; a later one is sent as the event `failed`.
 */
export const sendEvents = async (
  messages: AsyncIterable<Record<string, unknown>>,
  toFrame: (message: Record<string, unknown>) => Frame | WrittenFrames | undefined,
  reply: FastifyReply,
  { heartbeat, closing, onFrames }: EventStreams,
  { heartbeat: comment, headOnly }: { heartbeat: string; headOnly: boolean },
  gone: AbortSignal,
): Promise<void> => {
  const iterator = messages[Symbol.asyncIterator]()
  const first = await iterator.next()
  reply.hijack()
  const { raw } = reply
  raw.writeHead(reply.statusCode, { ...(reply.getHeaders() as Record<string, string>), ...headers })
  if (headOnly) {
    raw.end()
    await iterator.return?.()
    return
  }
  raw.flushHeaders()
  const { write, lastWrite, stuckSince, drain } = createWriter(raw)
  const beat = () => void write(commentText(comment))
  const remove = heartbeat.add({ lastWrite, stuckSince, beat, giveUp: () => raw.destroy() })
  const send = (message: Record<string, unknown>): boolean => {
    const frame = toFrame(message)
    if (!frame) return true
    onFrames(isWritten(frame) ? frame.count : 1)
    return write(isWritten(frame) ? frame.text : frameText(frame))
  }
  try {
    for (let next = first; !next.done; next = await iterator.next()) {
      if (gone.aborted || raw.destroyed) return
      if (!send(next.value)) await drain()
    }
    if (closing.aborted) write(retryText())
  } catch (error) {
    if (closing.aborted) write(retryText())
    else if (!gone.aborted) write(frameText(failedFrame(error)))
  } finally {
    remove()
    if (!raw.destroyed) raw.end()
    await iterator.return?.()
  }
}
