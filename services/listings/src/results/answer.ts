import type { Bus } from '@trellis/kit/bus'
import { type Detail, type ErrorKind, type ServiceError, serviceError } from '@trellis/kit/errors'
import { publishWhole, wholes } from './parts.ts'
import { answersOf } from './updates.ts'
import type { Answer } from './wire.ts'

type Outcome =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | {
      readonly kind: 'failed'
      readonly failure: { kind: ErrorKind; detail: Detail; retryAfterSeconds: number | undefined }
    }

const publish = (bus: Bus, sessionId: string, outcome: Outcome): Promise<void> =>
  publishWhole(bus, answersOf(sessionId), Buffer.from(JSON.stringify(outcome)))

/** Sends the answer of a search to the call that waits for it, wherever that is. Sent twice, it is heard once. */
export const sendAnswer = (bus: Bus, sessionId: string, answer: Answer): Promise<void> =>
  publish(bus, sessionId, { kind: 'answer', answer })

/** Sends what a search failed with in place of its answer. */
export const sendFailure = (
  bus: Bus,
  sessionId: string,
  { kind, detail, retryAfterSeconds }: ServiceError,
): Promise<void> => publish(bus, sessionId, { kind: 'failed', failure: { kind, detail, retryAfterSeconds } })

/**
 * The answer of a search, from the first there is. The place is taken at the call. Throws what the search failed with, and
 * the signal's reason when that aborts first.
 */
export const answerOf = (bus: Bus, sessionId: string, signal: AbortSignal): (() => Promise<Answer>) => {
  const deliveries = bus.subscribe(answersOf(sessionId), { after: 'start', signal })
  return async () => {
    for await (const whole of wholes(deliveries)) {
      if (whole.kind !== 'message') continue
      const outcome = JSON.parse(Buffer.from(whole.bytes).toString()) as Outcome
      if (outcome.kind === 'answer') return outcome.answer
      const { kind, detail, retryAfterSeconds } = outcome.failure
      throw serviceError(kind, detail, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
    }
    throw signal.reason
  }
}
