import type { Collector, Collectors, CollectRequest } from './collector.ts'
import type { SourceEntry } from './source-entry.ts'

/** The collector of one source. */
export type SourceCollector = {
  collect: (request: Omit<CollectRequest, 'source'>) => ReturnType<Collector['collect']>
  follow?: (request: Omit<CollectRequest, 'source'>) => ReturnType<Collector['collect']>
}

const bound = <Entry extends SourceEntry>(
  collector: Collector<Entry> | undefined,
  source: Entry,
): SourceCollector | undefined => {
  if (!collector) return undefined
  const { collect, follow } = collector
  return {
    collect: (request) => collect({ ...request, source }),
    ...(follow && { follow: (request) => follow({ ...request, source }) }),
  }
}

/** The collector of a source; undefined if the source cannot be collected. */
export const collectorFor = ({ local, ssh }: Collectors, source: SourceEntry): SourceCollector | undefined => {
  if (source.transport === 'ssh') return bound(ssh, source)
  if (source.gleanType === 'file') return bound(local.file, source)
  if (source.gleanType === 'journald') return bound(local.journald, source)
  return bound(source.gleanType === 'docker' ? local.docker : local.podman, source)
}
