import { marketplaceFailure } from '../failures.ts'
import type { HostState, HostStates } from './host-states.ts'

export type HostGateOptions = {
  /** Shortest time between two requests to a host, in milliseconds. */
  readonly gapMilliseconds: number
  readonly hostStates: HostStates
  /** Milliseconds; the time of day where standings are shared between processes. */
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
  readonly succeeded: (host: string) => Promise<void>
  /** Notes a refusal; with the host's own word on when to come back, if it gave one. */
  readonly refused: (host: string, retryAfterSeconds: number | undefined) => Promise<void>
  /** Raises a host's gap to what its robots.txt asks for, in milliseconds. */
  readonly slowDown: (host: string, gapMilliseconds: number) => Promise<void>
}

const firstBackOff = 2_000
const longestBackOff = 60_000
/** A request waits this long for a closed host to open; past it, it fails at once and says when to come back. */
const longestWait = 4_000
/** No robots.txt may slow requests to less than one in this many milliseconds. */
const longestGap = 30_000
/** Turns are given no further ahead than this, in milliseconds: past it the clock was set back since. */
const furthestTurn = 10 * 60_000

/** Creates a gate. Back-off is the host's Retry-After, else 2 s doubling to 60 s. */
export const createHostGate = ({ gapMilliseconds, hostStates, clock, sleep }: HostGateOptions): HostGate => {
  /** Milliseconds until the turn that is taken, or how long the host stays closed. */
  const takeTurn = (
    hostState: HostState,
  ): { readonly wait: number } | { readonly closedFor: number; readonly refusals: number } => {
    const now = clock()
    const closedFor = hostState.closedUntil - now
    if (closedFor > longestWait) return { closedFor, refusals: hostState.refusals }
    const next = hostState.nextTurn - now > furthestTurn ? now : hostState.nextTurn
    const turn = Math.max(now, next, hostState.closedUntil)
    hostState.nextTurn = turn + Math.max(gapMilliseconds, hostState.requestedGap)
    return { wait: turn - now }
  }
  return {
    enter: async (host, signal) => {
      const turn = await hostStates.change(host, takeTurn)
      if ('closedFor' in turn) {
        const detail = turn.refusals === 1 ? 'it has just refused' : `it has refused ${turn.refusals} times in a row`
        throw marketplaceFailure('breakerOpen', detail, { retryAfterSeconds: turn.closedFor / 1000 })
      }
      if (turn.wait > 0) await sleep(turn.wait, signal)
    },
    succeeded: (host) =>
      hostStates.change(host, (hostState) => {
        hostState.refusals = 0
        hostState.closedUntil = 0
      }),
    refused: (host, retryAfterSeconds) =>
      hostStates.change(host, (hostState) => {
        const backOff = Math.min(longestBackOff, firstBackOff * 2 ** hostState.refusals)
        hostState.refusals += 1
        hostState.closedUntil = clock() + (retryAfterSeconds === undefined ? backOff : retryAfterSeconds * 1000)
      }),
    slowDown: (host, requested) =>
      hostStates.change(host, (hostState) => {
        hostState.requestedGap = Math.min(longestGap, requested)
      }),
  }
}
