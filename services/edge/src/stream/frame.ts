import type { Route } from '@trellis/protos/edge/routes.ts'

/** An event, or an id alone, which says where the client is and is nothing that it is told of. */
export type Frame = { id: string | undefined; event: string; data: unknown } | { id: string; event?: never }

/** Frames that their service has written already, as text. */
export type WrittenFrames = { text: Uint8Array; count: number }
export const isWritten = (frame: Frame | WrittenFrames): frame is WrittenFrames => 'text' in frame

/** Line ends in an id or a name would end the field; nothing of ours has any, so they can only be an attack. */
const oneLine = (text: string) => text.replaceAll(/[\r\n\0]/g, '')

const idLine = (id: string | undefined) => (id === undefined ? '' : `id: ${oneLine(id)}\n`)

/** One server-sent event (WHATWG HTML, section 9.2). JSON has no raw line ends, so one data line holds it. */
export const frameText = (frame: Frame): string =>
  frame.event === undefined
    ? `${idLine(frame.id)}\n`
    : `${idLine(frame.id)}event: ${oneLine(frame.event)}\ndata: ${JSON.stringify(frame.data)}\n\n`

const idText = (given: unknown): string | undefined =>
  given === undefined || given === null || given === '' ? undefined : String(given)

export const commentText = (comment: string): string => `: ${comment}\n\n`

/** Makes the reader of a route's messages: which event is set, under what name; undefined for a message that only opens the stream. One with an id alone says from where on. */
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

/** Makes the reader of the id alone. */
export const idReader = ({ frames }: Route) => {
  const id = frames?.id
  return (message: Record<string, unknown>): string | undefined => (id === undefined ? undefined : idText(message[id]))
}
