import { severityCode } from '../../entries/severity-code.ts'
import { sequenceWithin } from '../records/record.ts'
import type { ReadRecord } from '../records/record-batches.ts'
import { type LogPosition, readContainerLines } from './container-lines.ts'
import type { Container, ContainerEngine } from './engine.ts'

/** Precedes the id of a container in the key of its checkpoint. */
export const keyPrefix = 'container:'
export const positionOf = (state: string | undefined): LogPosition | undefined =>
  state === undefined ? undefined : (JSON.parse(state) as LogPosition)

const isBehind = (end: LogPosition, position: LogPosition): boolean =>
  end.seconds !== position.seconds
    ? end.seconds > position.seconds
    : end.nanoseconds !== position.nanoseconds
      ? end.nanoseconds > position.nanoseconds
      : end.nth > position.nth

const sinceOf = ({ seconds, nanoseconds }: LogPosition): string => `${seconds}.${String(nanoseconds).padStart(9, '0')}`

export type ContainerReading = {
  engine: ContainerEngine
  container: Container
  sourceId: string
  position: LogPosition | undefined
  follows?: boolean
}

/** The lines of a container after a position. A container that is recreated with the same name has another id, and positions of its own. */
export async function* readContainer(
  { engine, container, sourceId, position, follows = false }: ContainerReading,
  signal: AbortSignal,
): AsyncGenerator<ReadRecord> {
  const parts = engine.logs(container, { since: position && sinceOf(position), follows }, signal)
  for await (const line of readContainerLines(parts, { position, hasEnded: !container.isRunning })) {
    // The engine returns the lines with the time of the position again.
    if (position && !isBehind(line.end, position)) continue
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
      checkpoint: line.isResumable ? { key: keyPrefix + container.id, state: JSON.stringify(end) } : undefined,
    }
  }
}
