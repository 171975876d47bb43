import type { Socket } from 'node:net'

export type WriteTimeoutOptions = {
  /** A connection whose client reads nothing of an answer for this long is closed. */
  idleMilliseconds: number
  tickMilliseconds?: number
}

/** `unsent` is the number of bytes that the system has not accepted; it stays constant while the client reads nothing. */
type Stalled = { unsent: number; since: number }

/** The part of a socket's internal handle that is used here. */
type Handle = { writeQueueSize?: number }

/** Unsent bytes. `writableLength` counts a chunk until all of it is sent; the handle's queue shrinks meanwhile. */
const unsentOf = (socket: Socket): number =>
  socket.writableLength + ((socket as unknown as { _handle: Handle | null })._handle?.writeQueueSize ?? 0)

/**
 * Closes connections whose clients do not read their answers. One timer checks all open connections, so requests and chunks cost
 * nothing. Time without pending data does not count, so a call has no time limit.
 */
export const createWriteTimeouts = ({ idleMilliseconds, tickMilliseconds = 1_000 }: WriteTimeoutOptions) => {
  const sockets = new Set<Socket>()
  const stalled = new Map<Socket, Stalled>()

  const unwatch = function (this: Socket) {
    sockets.delete(this)
    stalled.delete(this)
  }
  const look = (socket: Socket, now: number) => {
    if (socket.writableLength === 0) return void stalled.delete(socket)
    const unsent = unsentOf(socket)
    const known = stalled.get(socket)
    if (known?.unsent !== unsent) stalled.set(socket, { unsent, since: now })
    else if (now - known.since >= idleMilliseconds) socket.destroy()
  }
  const timer = setInterval(() => {
    const now = performance.now()
    for (const socket of sockets) look(socket, now)
  }, tickMilliseconds).unref()
  return {
    watch: (socket: Socket): void => {
      sockets.add(socket)
      socket.once('close', unwatch)
    },
    size: () => sockets.size,
    stop: () => clearInterval(timer),
  }
}

export type WriteTimeouts = ReturnType<typeof createWriteTimeouts>
