import type { Socket } from 'node:net'

export type WriteTimeoutOptions = {
  /** A connection whose client takes nothing of an answer for so long is cut. */
  idleMilliseconds: number
  tickMilliseconds?: number
}

/** `unsent` is what the system has not taken: it stays the same while the client reads nothing. */
type Stalled = { unsent: number; since: number }

/** The part of a connection that its public interface has no name for. */
type Handle = { writeQueueSize?: number }

/** `writableLength` counts a chunk until all of it is sent; the queue of the handle gets shorter meanwhile. */
const unsentOf = (socket: Socket): number =>
  socket.writableLength + ((socket as unknown as { _handle: Handle | null })._handle?.writeQueueSize ?? 0)

/**
 * Cuts connections whose clients do not read what was written to them. One timer looks at all open connections; requests and chunks cost
 * nothing. Time in which there is nothing to send does not count, so a call may take as long as it takes.
 */
export const createWriteTimeouts = ({ idleMilliseconds, tickMilliseconds = 1_000 }: WriteTimeoutOptions) => {
  const sockets = new Set<Socket>()
  const stalled = new Map<Socket, Stalled>()

  const forget = function (this: Socket) {
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
      socket.once('close', forget)
    },
    size: () => sockets.size,
    stop: () => clearInterval(timer),
  }
}

export type WriteTimeouts = ReturnType<typeof createWriteTimeouts>
