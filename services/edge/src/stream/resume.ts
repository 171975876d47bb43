import { setTimeout as sleep } from 'node:timers/promises'
import { isServiceError } from '@trellis/kit/errors'

type Message = Record<string, unknown>

const giveUpMilliseconds = 60_000
/** How often a stream is asked for that has not begun: a replica may just have gone, and another one is there. */
const maxOpenings = 3
const longestPauseMilliseconds = 2_000

export type Resumable = {
  /** Asks a service for the stream; behind `lastEventId`, where one is given. */
  open: (lastEventId: string | undefined) => AsyncIterable<Message>
  /** The id of a message's event, if it has one. */
  idOf: (message: Message) => string | undefined
  /** Aborted when nobody listens any more. */
  signal: AbortSignal
}

/**
 * A stream that outlives the replica it comes from: when that is lost, the service is asked again for what comes behind
 * the last event that was passed on, as the client would ask if it had to come back. Gives up, with the failure, when no replica answers
 * for a minute, or, before the first message, when a few openings have failed: the client is told soon.
 */
export async function* resume({ open, idOf, signal }: Resumable): AsyncGenerator<Message> {
  let lastEventId: string | undefined
  let hasBegun = false
  let lostAt: number | undefined
  let pause = 50
  for (let openings = 1; ; openings += 1) {
    try {
      for await (const message of open(lastEventId)) {
        hasBegun = true
        lostAt = undefined
        pause = 50
        lastEventId = idOf(message) ?? lastEventId
        yield message
      }
      return
    } catch (error) {
      lostAt ??= performance.now()
      const isLost = isServiceError(error, 'unavailable') && !signal.aborted
      const isAbandoned = hasBegun ? performance.now() - lostAt > giveUpMilliseconds : openings >= maxOpenings
      if (!isLost || isAbandoned) throw error
    }
    await sleep(pause * (0.5 + Math.random() / 2))
    pause = Math.min(pause * 2, longestPauseMilliseconds)
    if (signal.aborted) return
  }
}
