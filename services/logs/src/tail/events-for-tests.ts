import { EntryToRest } from '@trellis/protos/edge/rest.ts'
import type { TailFrame } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'

/** An event of a tail as its reader receives it; `text` is that of an entry. */
export type SeenEvent = { id: string; name: string; text: string | undefined }

const fieldOf = (event: string, name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(event)?.[1] ?? ''

const seen = (id: string, name: string, data: unknown): SeenEvent => ({
  id,
  name,
  text: typeof data === 'object' && data !== null && 'text' in data ? String(data.text) : undefined,
})

/** The events of a tail one by one, whether they are sent as single frames or several in one frame as text. */
export async function* eventsOf(frames: AsyncIterable<TailFrame>): AsyncGenerator<SeenEvent> {
  for await (const { eventId, event } of frames) {
    if (event?.$case !== 'written') {
      if (event) yield seen(eventId, event.$case, event.$case === 'entry' ? EntryToRest(event.value) : event.value)
      continue
    }
    for (const text of Buffer.from(event.value.text).toString().trimEnd().split('\n\n'))
      yield seen(fieldOf(text, 'id'), fieldOf(text, 'event'), JSON.parse(fieldOf(text, 'data')))
  }
}
