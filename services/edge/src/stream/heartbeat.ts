const intervalMilliseconds = 15_000
const tickMilliseconds = 1_000

export type Beating = {
  /** The time of the last write, in milliseconds of the monotonic clock. */
  readonly lastWrite: number
  /** Since when the client has read nothing, or undefined while it reads. */
  readonly stuckSince: number | undefined
  beat: () => void
  abort: () => void
}

/** Keeps open streams alive with one timer: sends a comment after 15 s of silence, and aborts streams whose client has stalled. */
export const createHeartbeat = ({ stallMilliseconds }: { stallMilliseconds: number }) => {
  const streams = new Set<Beating>()
  const tick = () => {
    const now = performance.now()
    for (const stream of streams) {
      const stuck = stream.stuckSince
      if (stuck !== undefined && now - stuck > stallMilliseconds) stream.abort()
      else if (stuck === undefined && now - stream.lastWrite >= intervalMilliseconds - tickMilliseconds / 2)
        stream.beat()
    }
  }
  const timer = setInterval(tick, tickMilliseconds).unref()
  return {
    add: (stream: Beating) => void streams.add(stream),
    remove: (stream: Beating) => void streams.delete(stream),
    size: () => streams.size,
    stop: () => clearInterval(timer),
  }
}

export type Heartbeat = ReturnType<typeof createHeartbeat>
