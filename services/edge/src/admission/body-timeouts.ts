import type { IncomingMessage, ServerResponse } from 'node:http'

export type BodyTimeoutOptions = {
  /** A request is ended when no bytes of its body arrive for this long. */
  idleMilliseconds: number
  /** Minimum average rate of a body after the idle time, which bounds its total time by its length. */
  minBytesPerSecond: number
  /** Answers 408 and closes the connection. */
  onTooSlow: (request: IncomingMessage, response: ServerResponse) => void
  tickMilliseconds?: number
}

type Arriving = {
  request: IncomingMessage
  response: ServerResponse
  startedAt: number
  /** `bytesRead` of the connection when the request began. */
  bytesBefore: number
  bytesRead: number
  readAt: number
  /** Time during which this server did not read, for which the client is not responsible. */
  heldMilliseconds: number
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && headers['content-length'] !== '0')

const isOver = ({ complete, destroyed, socket }: IncomingMessage) => complete || destroyed || socket.destroyed

/** Whether the buffer is full because nothing consumes it; the connection is not read meanwhile. */
const isHeld = ({ readableLength, readableHighWaterMark }: IncomingMessage) => readableLength >= readableHighWaterMark

/**
 * Ends requests whose bodies arrive too slowly. One timer checks the byte counters of all connections with a pending
 * body, so chunks cost nothing. Node's `requestTimeout` would allow a large upload no more time than a small one.
 */
export const createBodyTimeouts = (options: BodyTimeoutOptions) => {
  const { idleMilliseconds, minBytesPerSecond, onTooSlow, tickMilliseconds = 1_000 } = options
  const arriving = new Set<Arriving>()

  const isTooSlow = (body: Arriving, now: number): boolean => {
    if (now - body.readAt >= idleMilliseconds) return true
    const waited = now - body.startedAt - body.heldMilliseconds - idleMilliseconds
    return waited > 0 && body.bytesRead - body.bytesBefore < (waited / 1_000) * minBytesPerSecond
  }
  let lastTick = performance.now()
  const tick = () => {
    const now = performance.now()
    for (const body of arriving) {
      const { request, response } = body
      if (isOver(request)) {
        arriving.delete(body)
        continue
      }
      const { bytesRead } = request.socket
      const held = isHeld(request)
      if (held) body.heldMilliseconds += now - Math.max(lastTick, body.startedAt)
      if (held || bytesRead !== body.bytesRead) body.readAt = now
      body.bytesRead = bytesRead
      if (!isTooSlow(body, now)) continue
      arriving.delete(body)
      onTooSlow(request, response)
    }
    lastTick = now
  }
  const timer = setInterval(tick, tickMilliseconds).unref()
  return {
    watch: (request: IncomingMessage, response: ServerResponse): void => {
      if (!hasBody(request)) return
      const startedAt = performance.now()
      const { bytesRead } = request.socket
      arriving.add({
        request,
        response,
        startedAt,
        bytesBefore: bytesRead,
        bytesRead,
        readAt: startedAt,
        heldMilliseconds: 0,
      })
    },
    size: () => arriving.size,
    stop: () => clearInterval(timer),
  }
}

export type BodyTimeouts = ReturnType<typeof createBodyTimeouts>
