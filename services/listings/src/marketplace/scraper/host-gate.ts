import { backoff } from '@trellis/kit/retry'
import { marketplaceFailure } from '../failures.ts'
import type { HostState, HostStates } from './host-states.ts'

export type HostGateOptions = {
  /** Minimum interval between two requests to a host, in milliseconds. */
  readonly gapMilliseconds: number
  readonly hostStates: HostStates
  /** Milliseconds; the time of day where host states are shared between processes. */
  readonly clock: () => number
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/**
 * Spaces out requests to a host, and blocks requests to a host that refuses. Rate limit, back-off and circuit breaker are
 * one, since they answer the same question: may this request go now, and if not, when?
 */
export type HostGate = {
  /**
   * Waits for the host's next slot; throws if the host is closed for longer than a request may wait. `crawlDelay`, in milliseconds, is the
   * gap that the host's robots.txt requires (0 for none); without it, the gap is the one required last.
   */
  readonly enter: (host: string, signal: AbortSignal, crawlDelay?: number) => Promise<void>
  readonly succeeded: (host: string) => Promise<void>
  /** Records a refusal, with the host's Retry-After if it sent one. */
  readonly refused: (host: string, retryAfterSeconds: number | undefined) => Promise<void>
}

/** Without jitter: one host is paused for all of its requests. */
const pauses = { initial: 2_000, max: 60_000, jitter: 0 }
/** Longest pause that a Retry-After may impose, in milliseconds: a wrong one must not close a site for good. */
const longestPause = 24 * 3_600_000
/** Longest wait of a request for a closed host to open; beyond it the request fails at once with the time to retry after. */
const longestWait = 4_000
/** Maximum gap that a robots.txt may impose, in milliseconds. */
const longestGap = 30_000
/** Slots are never this far ahead, in milliseconds; one that is means that the clock has been set back since. */
const furthestTurn = 10 * 60_000

/** Creates a gate. Back-off is the host's Retry-After, else 2 s doubling to 60 s. */
export const createHostGate = ({ gapMilliseconds, hostStates, clock, sleep }: HostGateOptions): HostGate => {
  /** Reserves the next slot and returns the milliseconds until it, or returns how long the host stays closed. */
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
    enter: async (host, signal, crawlDelay) => {
      const turn = await hostStates.change(host, (hostState) => {
        if (crawlDelay !== undefined) hostState.requestedGap = Math.min(longestGap, crawlDelay)
        return takeTurn(hostState)
      })
      if ('closedFor' in turn) {
        const detail = turn.refusals === 1 ? 'it has just refused' : `it has refused ${turn.refusals} times in a row`
        throw marketplaceFailure('breakerOpen', detail, { retryAfterSeconds: turn.closedFor / 1000 })
      }
      if (turn.wait > 0) await sleep(turn.wait, signal)
    },
    succeeded: (host) =>
      hostStates.change(host, (hostState) => {
        // While a host is closed no request goes: this one went before the refusal, and is no evidence about it.
        if (hostState.closedUntil > clock()) return
        hostState.refusals = 0
        hostState.closedUntil = 0
      }),
    refused: (host, retryAfterSeconds) =>
      hostStates.change(host, (hostState) => {
        hostState.refusals += 1
        const pause =
          retryAfterSeconds === undefined
            ? backoff(hostState.refusals, pauses)
            : Math.min(longestPause, retryAfterSeconds * 1000)
        // A refusal of a request that went at the same time does not shorten the pause.
        hostState.closedUntil = Math.max(hostState.closedUntil, clock() + pause)
      }),
  }
}
