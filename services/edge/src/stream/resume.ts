import { setTimeout as sleep } from 'node:timers/promises'
import { isServiceError } from '@trellis/kit/errors'
import { createBackoff } from '@trellis/kit/retry'

type Message = Record<string, unknown>

const retryMilliseconds = 60_000
/** Maximum openings before the first message: a replica may have just stopped while another is available. */
const maxOpenings = 3
const pauses = { initial: 50, max: 2_000 }

export type Resumable = {
  /** Requests the stream from the service, behind `lastEventId` if it is set. */
  open: (lastEventId: string | undefined) => AsyncIterable<Message>
  /** The id of a message's event, if it has one. */
  idOf: (message: Message) => string | undefined
  /** Aborted when the client has disconnected. */
  signal: AbortSignal
}

/**
 * A stream that survives the loss of its replica: it requests the events behind the last one that was forwarded, as a reconnecting
 * client would. It throws the error when no replica answers for a minute, or, before the first message, after `maxOpenings` failed
 * openings, so that the client gets an error quickly.
 */
export async function* resume({ open, idOf, signal }: Resumable): AsyncGenerator<Message> {
  let lastEventId: string | undefined
  let hasBegun = false
  let lostAt: number | undefined
  const backoff = createBackoff(pauses)
  for (let openings = 1; ; openings += 1) {
    try {
      for await (const message of open(lastEventId)) {
        hasBegun = true
        lostAt = undefined
        backoff.reset()
        lastEventId = idOf(message) ?? lastEventId
        yield message
      }
      return
    } catch (error) {
      lostAt ??= performance.now()
      const isLost = isServiceError(error, 'unavailable') && !signal.aborted
      const isAbandoned = hasBegun ? performance.now() - lostAt > retryMilliseconds : openings >= maxOpenings
      if (!isLost || isAbandoned) throw error
    }
    await sleep(backoff.next())
    if (signal.aborted) return
  }
}
