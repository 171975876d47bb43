import { severityCode } from '../../entries/severity-code.ts'
import { sequenceWithin } from '../records/record.ts'
import type { ReadRecord } from '../records/record-batches.ts'
import { type Place, readContainerLines } from './container-lines.ts'
import type { Container, ContainerEngine } from './engine.ts'

/** Before the id of a container, in the key of its place. */
export const keyPrefix = 'container:'
export const placeOf = (state: string | undefined): Place | undefined =>
  state === undefined ? undefined : (JSON.parse(state) as Place)

const isBehind = (end: Place, place: Place): boolean =>
  end.seconds !== place.seconds
    ? end.seconds > place.seconds
    : end.nanoseconds !== place.nanoseconds
      ? end.nanoseconds > place.nanoseconds
      : end.nth > place.nth

const sinceOf = ({ seconds, nanoseconds }: Place): string => `${seconds}.${String(nanoseconds).padStart(9, '0')}`

export type ContainerReading = {
  engine: ContainerEngine
  container: Container
  sourceId: string
  place: Place | undefined
  follows?: boolean
}

/** The lines of a container behind a place. One that is written again under its name has another id, and places of its own. */
export async function* readContainer(
  { engine, container, sourceId, place, follows = false }: ContainerReading,
  signal: AbortSignal,
): AsyncGenerator<ReadRecord> {
  for await (const line of readContainerLines(
    engine.logs(container, { since: place && sinceOf(place), follows }, signal),
  )) {
    // The engine gives the lines of the place's own moment again.
    if (place && !isBehind(line.end, place)) continue
    const { stamp, nth, end, stream, text } = line
    yield {
      record: {
        sourceId,
        stream: `${container.id}:${stream}`,
        text,
        time: stamp.seconds * 1_000 + Math.floor(stamp.nanoseconds / 1_000_000),
        sequence: sequenceWithin(stamp.nanoseconds % 1_000_000, nth),
        severity: undefined,
        hint: stream === 'stderr' ? severityCode.WARN : undefined,
        fields: { container: container.name, container_id: container.id.slice(0, 12), stream },
      },
      checkpoint: line.isPlace ? { key: keyPrefix + container.id, state: JSON.stringify(end) } : undefined,
    }
  }
}
