import type { Route } from '@trellis/protos/edge/routes.ts'

/** An event, or only an id, which sets the client's last event id without dispatching an event. */
export type Frame = { id: string | undefined; event: string; data: unknown } | { id: string; event?: never }

/** Frames that the service has already serialized as text. */
export type WrittenFrames = { text: Uint8Array; count: number }
export const isWritten = (frame: Frame | WrittenFrames): frame is WrittenFrames => 'text' in frame

/** Removes line ends, which would end the field. Our ids and names have none, so they could only be an injection. */
const oneLine = (text: string) => text.replaceAll(/[\r\n\0]/g, '')

const idLine = (id: string | undefined) => (id === undefined ? '' : `id: ${oneLine(id)}\n`)

/** One server-sent event (WHATWG HTML, section 9.2). JSON has no raw line ends, so one data line holds it. */
export const frameText = (frame: Frame): string =>
  frame.event === undefined
    ? `${idLine(frame.id)}\n`
    : `${idLine(frame.id)}event: ${oneLine(frame.event)}\ndata: ${JSON.stringify(frame.data)}\n\n`

const idText = (id: unknown): string | undefined =>
  id === undefined || id === null || id === '' ? undefined : String(id)

export const commentText = (comment: string): string => `: ${comment}\n\n`

/** Creates the reader of a route's messages: the event that is set, with its name; only the id if no event is set; undefined if neither is. */
export const frameReader = ({ frames }: Route) => {
  if (!frames) throw new TypeError('Only a stream of events has frames.')
  const { oneof, id, events, written } = frames
  return (message: Record<string, unknown>): Frame | WrittenFrames | undefined => {
    const set = message[oneof] as { $case: string; value: unknown } | null | undefined
    if (set && set.$case === written) return set.value as WrittenFrames
    const event = set ? events[set.$case] : undefined
    const eventId = id === undefined ? undefined : idText(message[id])
    if (!set) return eventId === undefined ? undefined : { id: eventId }
    if (!event) return undefined
    return { id: eventId, event: event.name, data: event.toRest(set.value) }
  }
}

/** Creates the reader of the event id of a message. */
export const idReader = ({ frames }: Route) => {
  const id = frames?.id
  return (message: Record<string, unknown>): string | undefined => (id === undefined ? undefined : idText(message[id]))
}
