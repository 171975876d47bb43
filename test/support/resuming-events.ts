import { setTimeout as sleep } from 'node:timers/promises'
import type { Event } from './events.ts'

/** An event stream followed like by a browser's EventSource: after a cut it resumes after the last event. */
export type Following = AsyncDisposable & {
  /** Resolves when the stream is open for the first time. */
  opened: Promise<void>
  /** The received events, in order. */
  events: Event[]
  /** Number of reconnections. */
  cuts: () => number
}

const parse = (block: string): Event | undefined => {
  const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1]
  const data = field('data')
  return data === undefined
    ? undefined
    : { id: field('id'), event: field('event') ?? 'message', data: JSON.parse(data) as Event['data'] }
}

/** Follows a stream until disposed, reconnecting after every cut and every 503. */
export const followEvents = (url: string, pauseMilliseconds = 200): Following => {
  const leaving = new AbortController()
  const events: Event[] = []
  let cuts = 0
  const { promise: opened, resolve: isOpen } = Promise.withResolvers<void>()
  const once = async (lastEventId: string | undefined): Promise<void> => {
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    const response = await fetch(url, { headers, signal: leaving.signal })
    if (response.status !== 200) throw new Error(`The stream answered ${response.status}.`)
    isOpen()
    let text = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const event = parse(text.slice(0, end))
        text = text.slice(end + 2)
        if (event) events.push(event)
      }
    }
  }
  const following = (async () => {
    while (!leaving.signal.aborted) {
      const lastEventId = events.findLast(({ id }) => id !== undefined && id !== '')?.id
      await once(lastEventId).catch(() => undefined)
      if (leaving.signal.aborted) return
      cuts += 1
      await sleep(pauseMilliseconds)
    }
  })()
  return {
    opened,
    events,
    cuts: () => cuts,
    [Symbol.asyncDispose]: async () => {
      leaving.abort()
      await following
    },
  }
}
