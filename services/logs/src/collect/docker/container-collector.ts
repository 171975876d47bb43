import picomatch from 'picomatch'
import { severityCode } from '../../entries/severity-code.ts'
import { utc } from '../../formats/zone.ts'
import type { Batch, Collector, CollectRequest } from '../collector.ts'
import { sourcePart } from '../journald/journal-record.ts'
import { sequenceWithin } from '../records/record.ts'
import { batchRecords, type ReadRecord } from '../records/record-batches.ts'
import { type LocalContainerEntry, type SshEntry, unitSourceId } from '../source-entry.ts'
import { type ContainerLine, readContainerLines } from './container-lines.ts'
import { type Container, type ContainerEngine, EngineFailed } from './engine.ts'
import { createEngineApi, dialUnix } from './engine-api.ts'

/** Where the lines of a container were read last: a time to the nanosecond, and how many lines of that time. */
type Place = { seconds: number; nanoseconds: number; nth: number }

const keyPrefix = 'container:'
const placeOf = (state: string | undefined): Place | undefined =>
  state === undefined ? undefined : (JSON.parse(state) as Place)

/**
 * Whether a source means a container: by names, ids or globs of names, and by labels as `label:key` or `label:key=value`; what begins with
 * `!` is left out, whatever else is said. Nothing said means all.
 */
export const choosesContainer = (chosen: readonly string[]): ((container: Container) => boolean) => {
  const toTest = (word: string): ((container: Container) => boolean) => {
    if (word.startsWith('label:')) {
      const [key = '', ...value] = word.slice('label:'.length).split('=')
      return ({ labels }) => (value.length === 0 ? key in labels : labels[key] === value.join('='))
    }
    const fits = picomatch(word, { dot: true })
    return ({ id, name }) => fits(name) || (/^[0-9a-f]{12,64}$/.test(word) && id.startsWith(word))
  }
  const wanted = chosen.filter((word) => !word.startsWith('!')).map(toTest)
  const unwanted = chosen.filter((word) => word.startsWith('!')).map((word) => toTest(word.slice(1)))
  return (container) =>
    !unwanted.some((test) => test(container)) && (wanted.length === 0 || wanted.some((test) => test(container)))
}

const isBehind = ({ stamp, nth }: ContainerLine, place: Place): boolean =>
  stamp.seconds !== place.seconds
    ? stamp.seconds > place.seconds
    : stamp.nanoseconds !== place.nanoseconds
      ? stamp.nanoseconds > place.nanoseconds
      : nth > place.nth

const sinceOf = ({ seconds, nanoseconds }: Place): string => `${seconds}.${String(nanoseconds).padStart(9, '0')}`

type ContainerReading = { engine: ContainerEngine; container: Container; sourceId: string; place: Place | undefined }

/** The lines of a container behind a place. One that is written again under its name has another id, and places of its own. */
async function* readContainer(
  { engine, container, sourceId, place }: ContainerReading,
  signal: AbortSignal,
): AsyncGenerator<ReadRecord> {
  for await (const line of readContainerLines(engine.logs(container, place && sinceOf(place), signal))) {
    // The engine gives the lines of the place's own moment again.
    if (place && !isBehind(line, place)) continue
    const { stamp, nth, stream, text } = line
    const at: Place = { ...stamp, nth }
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
      checkpoint: line.isPlace ? { key: keyPrefix + container.id, state: JSON.stringify(at) } : undefined,
    }
  }
}

/** Collects the containers of an engine, one after the other. One that cannot be read is a problem of its own. */
export async function* collectContainers(
  request: CollectRequest<LocalContainerEntry | SshEntry>,
  { engine, now }: { engine: ContainerEngine; now: () => number },
): AsyncGenerator<Batch> {
  const { source, checkpoints, force, signal, onProblem } = request
  const containers = await engine.list(signal)
  const isChosen = choosesContainer(source.containers)
  for (const container of containers.filter(isChosen)) {
    if (signal.aborted) return
    const place = force ? undefined : placeOf(await checkpoints.get(keyPrefix + container.id))
    const sourceId = unitSourceId(source, sourcePart(container.name))
    const reads = readContainer({ engine, container, sourceId, place }, signal)
    try {
      yield* batchRecords(reads, { tenantId: source.tenantId, time: { zone: utc, reference: now() }, now })
    } catch (error) {
      if (!(error instanceof EngineFailed)) throw error
      onProblem(`${container.name}: ${error.message}`)
    }
  }
  const known = new Set(containers.map(({ id }) => keyPrefix + id))
  const gone: string[] = []
  for await (const { key } of checkpoints.list(keyPrefix)) if (!known.has(key)) gone.push(key)
  if (gone.length > 0) await checkpoints.remove(gone)
}

/** Where an engine of this machine listens unless a source says. */
const usualSockets: Record<LocalContainerEntry['gleanType'], string> = {
  docker: '/var/run/docker.sock',
  podman: '/run/podman/podman.sock',
}

/** Containers of this machine. */
export const createContainerCollector = ({ now }: { now: () => number }): Collector<LocalContainerEntry> => ({
  collect: (request) => {
    const socket = request.source.socket ?? usualSockets[request.source.gleanType]
    return collectContainers(request, { engine: createEngineApi(dialUnix(socket)), now })
  },
})
