import type { Metadata } from 'nice-grpc-common'
import { cancelled } from '../errors/mod.ts'
import { untilAborted } from '../lifecycle/mod.ts'

/**
 * Announces that a stream of messages ends with an empty one. gRPC delivers the end of a stream that was reset to its reader as a regular end, before
 * the cancellation: without a mark of its own, what a lost sender has sent so far reads as all that it meant to send.
 */
const markKey = 'x-trellis-end-mark'

export const announceEndMark = (metadata: Metadata): void => {
  metadata.set(markKey, '1')
}

type Message = Record<string, unknown>

/** Messages of uploads have one field, which every other message of theirs sets. */
const isEndMark = (message: Message): boolean =>
  Object.values(message).every((value) => value === undefined || value === null)

export async function* withEndMark(messages: AsyncIterable<Message>, endMark: Message): AsyncGenerator<Message> {
  yield* messages
  yield endMark
}

/** A stream of requests as its sender meant it: ends as aborted where the call is cancelled, or where an announced mark does not come. */
export async function* wholeRequest(
  messages: AsyncIterable<Message>,
  { metadata, signal }: { metadata: Metadata; signal: AbortSignal },
): AsyncGenerator<Message> {
  const isMarked = metadata.has(markKey)
  for await (const message of untilAborted(messages, signal)) {
    if (isMarked && isEndMark(message)) return
    yield message
  }
  if (isMarked) throw cancelled(new Error('The stream of requests ended without its end mark.'))
}
