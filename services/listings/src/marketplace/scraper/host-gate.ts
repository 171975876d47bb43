import { marketplaceFailure } from '../failures.ts'

export type HostGateOptions = {
  /** Shortest time between two requests to a host, in milliseconds. */
  readonly gapMilliseconds: number
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/**
 * Keeps requests to a host apart, and keeps away from a host that refuses. It is pace, back-off and circuit breaker in
 * one, since they answer the same question: may this request go now, and if not, when?
 */
export type HostGate = {
  /** Waits for the host's turn; throws when the host is to be left alone for longer than a request may wait. */
  readonly enter: (host: string, signal: AbortSignal) => Promise<void>
  readonly succeeded: (host: string) => void
  /** Notes a refusal; with the host's own word on when to come back, if it gave one. */
  readonly refused: (host: string, retryAfterSeconds: number | undefined) => void
  /** Raises a host's gap to what its robots.txt asks for, in milliseconds. */
  readonly slowDown: (host: string, gapMilliseconds: number) => void
}

type Standing = { nextTurn: number; closedUntil: number; refusals: number; gap: number }

const firstBackOff = 2_000
const longestBackOff = 60_000
/** A request waits this long for a closed host to open; past it, it fails at once and says when to come back. */
const longestWait = 4_000
/** No robots.txt may slow requests to less than one in this many milliseconds. */
const longestGap = 30_000
/** Hosts remembered; beyond them the one used least recently is forgotten. */
const mostHosts = 100

/** Creates a gate. Back-off is the host's Retry-After, else 2 s doubling to 60 s. */
export const createHostGate = ({ gapMilliseconds, clock, sleep }: HostGateOptions): HostGate => {
  const standings = new Map<string, Standing>()
  const standingOf = (host: string): Standing => {
    const known = standings.get(host) ?? { nextTurn: 0, closedUntil: 0, refusals: 0, gap: gapMilliseconds }
    standings.delete(host)
    standings.set(host, known)
    const [oldest] = standings.keys()
    if (standings.size > mostHosts && oldest !== undefined) standings.delete(oldest)
    return known
  }
  return {
    enter: async (host, signal) => {
      const standing = standingOf(host)
      const now = clock()
      const closedFor = standing.closedUntil - now
      if (closedFor > longestWait) {
        throw marketplaceFailure('breakerOpen', `it has refused ${standing.refusals} times in a row`, {
          retryAfterSeconds: closedFor / 1000,
        })
      }
      const turn = Math.max(now, standing.nextTurn, standing.closedUntil)
      standing.nextTurn = turn + standing.gap
      if (turn > now) await sleep(turn - now, signal)
    },
    succeeded: (host) => {
      const standing = standingOf(host)
      standing.refusals = 0
      standing.closedUntil = 0
    },
    refused: (host, retryAfterSeconds) => {
      const standing = standingOf(host)
      const backOff = Math.min(longestBackOff, firstBackOff * 2 ** standing.refusals)
      standing.refusals += 1
      standing.closedUntil = clock() + (retryAfterSeconds === undefined ? backOff : retryAfterSeconds * 1000)
    },
    slowDown: (host, asked) => {
      const standing = standingOf(host)
      standing.gap = Math.max(gapMilliseconds, Math.min(longestGap, asked))
    },
  }
}
