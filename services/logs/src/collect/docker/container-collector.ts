import { utc } from '../../formats/zone.ts'
import type { Batch, Collector, CollectRequest } from '../collector.ts'
import { sourcePart } from '../journald/journal-record.ts'
import { batchRecords } from '../records/record-batches.ts'
import { type LocalContainerEntry, type SshEntry, unitSourceId } from '../source-entry.ts'
import { choosesContainer } from './chooses-container.ts'
import { type ContainerEngine, EngineFailed } from './engine.ts'
import { createEngineApi, dialUnix } from './engine-api.ts'
import { followContainers } from './follow-containers.ts'
import { keyPrefix, positionOf, readContainer } from './read-container.ts'

/** Collects the containers of an engine, one after the other. A container that cannot be read is reported, and the others are read. */
export async function* collectContainers(
  request: CollectRequest<LocalContainerEntry | SshEntry>,
  { engine, now }: { engine: ContainerEngine; now: () => number },
): AsyncGenerator<Batch> {
  const { source, checkpoints, force, signal, onProblem } = request
  const containers = await engine.list(signal)
  const isChosen = choosesContainer(source.containers)
  for (const container of containers.filter(isChosen)) {
    if (signal.aborted) return
    const position = force ? undefined : positionOf(await checkpoints.get(keyPrefix + container.id))
    const sourceId = unitSourceId(source, sourcePart(container.name))
    const reads = readContainer({ engine, container, sourceId, position }, signal)
    try {
      yield* batchRecords(reads, { source, time: { zone: utc, reference: now() }, now })
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

/** The default sockets of the engines of this machine. */
const usualSockets: Record<LocalContainerEntry['gleanType'], string> = {
  docker: '/var/run/docker.sock',
  podman: '/run/podman/podman.sock',
}

/** Live entries are stored every 10 s or 100 lines, as specified. */
const watchFlush = { milliseconds: 10_000, records: 100 }

export type ContainerCollectorOptions = {
  now: () => number
  flush?: { milliseconds: number; records: number }
  /** The interval at which the list of containers is polled. */
  pollMilliseconds?: number
}

/** Containers of this machine. */
export const createContainerCollector = ({
  now,
  flush = watchFlush,
  pollMilliseconds = 5_000,
}: ContainerCollectorOptions): Collector<LocalContainerEntry> => {
  const engineOf = ({ socket, gleanType }: LocalContainerEntry) =>
    createEngineApi(dialUnix(socket ?? usualSockets[gleanType]))
  return {
    collect: (request) => collectContainers(request, { engine: engineOf(request.source), now }),
    follow: (request) => followContainers(request, { engine: engineOf(request.source), now, flush, pollMilliseconds }),
  }
}
