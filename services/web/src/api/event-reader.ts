import { createParser } from 'eventsource-parser'

export type ReceivedEvent = { id: string | undefined; name: string; data: string }

export type EventReaderOptions = {
  onEvent: (event: ReceivedEvent) => void
  /** Called for each id before its event, and for one that comes alone, as a stream's first position does. */
  onId?: (id: string) => void
  /** Called for each part that arrives, heartbeats included. */
  onAlive?: () => void
  /** The time to wait before reconnecting that the server sent. */
  onRetry?: (milliseconds: number) => void
}

/** Reads a body of server-sent events until it ends. */
export const readEvents = async (
  body: ReadableStream<Uint8Array>,
  { onEvent, onId, onAlive, onRetry }: EventReaderOptions,
): Promise<void> => {
  const parser = createParser({
    onEvent: ({ id, event, data }) => onEvent({ id, name: event ?? 'message', data }),
    ...(onId ? { onId } : {}),
    ...(onRetry ? { onRetry } : {}),
  })
  const decoder = new TextDecoder()
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onAlive?.()
      parser.feed(decoder.decode(value, { stream: true }))
    }
  } finally {
    reader.releaseLock()
  }
}
