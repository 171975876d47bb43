import type { Metadata } from 'nice-grpc-common'
import { cancelled } from '../errors/mod.ts'
import { untilAborted } from '../lifecycle/mod.ts'

/**
 * Announces that a stream of messages ends with an empty message. gRPC reports the end of a reset stream to its reader as a regular end,
 * before the cancellation; without an end mark, the reader could not distinguish the partial stream of a lost sender from a complete one.
 */
const markKey = 'x-trellis-end-mark'

export const announceEndMark = (metadata: Metadata): void => {
  metadata.set(markKey, '1')
}

type Message = Record<string, unknown>

/** Upload messages have one field, which is unset only in the end mark. */
const isEndMark = (message: Message): boolean =>
  Object.values(message).every((value) => value === undefined || value === null)

export async function* withEndMark(messages: AsyncIterable<Message>, endMark: Message): AsyncGenerator<Message> {
  yield* messages
  yield endMark
}

/** The complete stream of requests: throws when the call is cancelled, or when the announced end mark is missing. */
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
