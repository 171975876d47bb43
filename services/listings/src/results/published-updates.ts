import { randomUUID } from 'node:crypto'
import type { Bus } from '@trellis/kit/bus'
import { UpdateFrame } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { wholes } from './parts.ts'
import { type Frame, updatesOf } from './updates.ts'

/** Updates of a search that any replica has published. */
export type PublishedUpdates = {
  /** Whether a frame has content that was not published yet. */
  readonly isUnpublished: (frame: Frame) => boolean
  /** Records a published frame. */
  readonly add: (frame: Frame) => void
  readonly isDone: () => boolean
}

/** Content of a frame without times and ids. Frames other than updates are published once per search. */
const fingerprint = (frame: Frame): string => {
  if (frame.$case !== 'update') return frame.$case
  const { platformListingId, marketPrice, trustScore } = frame.value
  const { compositeScore, signalScores, scoreIsPartial, hardFilters, softFlags } = trustScore ?? {}
  const { photoHashDuplicate, photoAnalysisJson } = trustScore ?? {}
  return JSON.stringify([
    platformListingId,
    marketPrice,
    compositeScore,
    signalScores,
    scoreIsPartial,
    hardFilters,
    softFlags,
    photoHashDuplicate,
    photoAnalysisJson,
  ])
}

/** The frame as it is decoded from the topic, so that unset fields compare equal on both ends. */
const asRead = (event: Frame): Frame =>
  event.$case === 'update'
    ? (UpdateFrame.decode(UpdateFrame.encode({ eventId: '', event }).finish()).event ?? event)
    : event

/**
 * The messages of a search's topic up to now, in order. A mark is published to find their end: everything that an earlier,
 * dead driver published precedes it.
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

/** Reads all updates of a search that have been published so far. */
export const readPublishedUpdates = async (
  bus: Bus,
  sessionId: string,
  signal: AbortSignal,
): Promise<PublishedUpdates> => {
  const published = new Set<string>()
  for await (const { bytes } of publishedSoFar(bus, sessionId, signal)) {
    const { event } = UpdateFrame.decode(bytes)
    if (event) published.add(fingerprint(event))
  }
  return {
    isUnpublished: (frame) => !published.has(fingerprint(asRead(frame))),
    add: (frame) => void published.add(fingerprint(asRead(frame))),
    isDone: () => published.has('done'),
  }
}

/** The sequence of the `done` of a search; undefined if none was published, or the bus no longer has it. */
export const findDone = async (bus: Bus, sessionId: string, signal: AbortSignal): Promise<number | undefined> => {
  for await (const { sequence, bytes } of publishedSoFar(bus, sessionId, signal))
    if (UpdateFrame.decode(bytes).event?.$case === 'done') return sequence
  return undefined
}
