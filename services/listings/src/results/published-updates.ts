import { randomUUID } from 'node:crypto'
import type { Bus } from '@trellis/kit/bus'
import { UpdateFrame } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { wholes } from './parts.ts'
import { type Frame, updatesOf } from './updates.ts'

/** What the followers of a search have been told, by whichever replicas have driven it. */
export type PublishedUpdates = {
  /** Whether a frame says something that has not been told. */
  readonly isUnpublished: (frame: Frame) => boolean
  /** Notes a frame that has been published. */
  readonly add: (frame: Frame) => void
  readonly isDone: () => boolean
}

/** What a frame says, but for times and ids: all frames but updates are told once in a search. */
const fingerprint = (frame: Frame): string => {
  if (frame.$case !== 'update') return frame.$case
  const { platformListingId, marketPrice, trustScore } = frame.value
  const { compositeScore, signalScores, scoreIsPartial, hardFilters, softFlags } = trustScore ?? {}
  return JSON.stringify([
    platformListingId,
    marketPrice,
    compositeScore,
    signalScores,
    scoreIsPartial,
    hardFilters,
    softFlags,
  ])
}

/** The frame as it is read from the topic, so that what is unset looks the same on both ends. */
const asRead = (event: Frame): Frame =>
  event.$case === 'update'
    ? (UpdateFrame.decode(UpdateFrame.encode({ eventId: '', event }).finish()).event ?? event)
    : event

/**
 * The messages that were published to the followers of a search until now, in order. Their end is found by a mark that is published for this:
 * what a driver published that has died since comes before it.
 */
async function* publishedSoFar(bus: Bus, sessionId: string, signal: AbortSignal) {
  const left = new AbortController()
  const topic = updatesOf(sessionId)
  const deliveries = bus.subscribe(topic, { after: 'start', signal: AbortSignal.any([signal, left.signal]) })
  const id = randomUUID()
  try {
    await bus.publish(topic, { kind: 'mark', id })
    for await (const whole of wholes(deliveries)) {
      if (whole.kind === 'mark' && whole.id === id) break
      if (whole.kind === 'message') yield whole
    }
  } finally {
    left.abort()
  }
  signal.throwIfAborted()
}

/** Reads all that a search's followers have been told so far. */
export const readPublishedUpdates = async (
  bus: Bus,
  sessionId: string,
  signal: AbortSignal,
): Promise<PublishedUpdates> => {
  const reported = new Set<string>()
  for await (const { bytes } of publishedSoFar(bus, sessionId, signal)) {
    const { event } = UpdateFrame.decode(bytes)
    if (event) reported.add(fingerprint(event))
  }
  return {
    isUnpublished: (frame) => !reported.has(fingerprint(asRead(frame))),
    add: (frame) => void reported.add(fingerprint(asRead(frame))),
    isDone: () => reported.has('done'),
  }
}

/** The sequence of the `done` of a search; undefined where none was published, or the bus no longer has it. */
export const findDone = async (bus: Bus, sessionId: string, signal: AbortSignal): Promise<number | undefined> => {
  for await (const { sequence, bytes } of publishedSoFar(bus, sessionId, signal))
    if (UpdateFrame.decode(bytes).event?.$case === 'done') return sequence
  return undefined
}
