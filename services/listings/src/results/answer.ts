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

/** Sends the answer of a search to the waiting call, on any replica. Only the first answer is read, so resending is harmless. */
export const sendAnswer = (bus: Bus, sessionId: string, answer: Answer): Promise<void> =>
  publish(bus, sessionId, { kind: 'answer', answer })

/** Sends the error of a search in place of its answer. */
export const sendFailure = (
  bus: Bus,
  sessionId: string,
  { kind, detail, retryAfterSeconds }: ServiceError,
): Promise<void> => publish(bus, sessionId, { kind: 'failed', failure: { kind, detail, retryAfterSeconds } })

/**
 * Subscribes to a search's answer at the call; the returned function awaits the first one. Throws the search's error, or the
 * signal's reason if that aborts first.
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
