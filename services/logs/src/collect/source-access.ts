import { serviceError } from '@trellis/kit/errors'
import type { LocalFiles } from '../local-files/local-files.ts'
import { usualEngineSockets } from '../setup/discover.ts'
import type { Collector, CollectRequest } from './collector.ts'
import { refusalOfPattern } from './files/find-files.ts'
import type { SourceProblem } from './read-source.ts'
import type { LocalEntry, SourceEntry } from './source-entry.ts'

type LocalPlace = { key: 'path' | 'socket'; path: string }

/** The path of this host that a source names, if any. Paths of SSH sources are those of another host. */
const placeOf = (source: SourceEntry): LocalPlace | undefined => {
  if (source.transport === 'ssh') return undefined
  const place = 'socket' in source ? { key: 'socket', path: source.socket } : { key: 'path', path: source.path }
  return place.path === undefined ? undefined : (place as LocalPlace)
}

/** Why a source must not be read from this host: the key, and a sentence that goes after it. Judged by where links lead now. */
export const refusalOfSource = async (
  source: SourceEntry,
  localFiles: LocalFiles,
): Promise<(SourceProblem & { key: string }) | undefined> => {
  const place = placeOf(source)
  if (!place) return undefined
  if (place.key === 'socket') {
    const sockets = usualEngineSockets()
    if (source.addedBy === 'administrator' || sockets.includes(place.path)) return undefined
    const problem = `must be one of ${sockets.join(', ')}; write a source with another socket into the sources file by hand`
    return { key: 'socket', problem }
  }
  const refusal = await refusalOfPattern(place.path, localFiles.for(source.addedBy))
  if (refusal === undefined) return undefined
  if (source.addedBy === 'administrator') return { key: 'path', problem: `is not read: ${refusal}` }
  const problem = `must lie in a folder of SERVICE_LOG_DIRS: ${localFiles.describeFolders()}. Put the log there, name its folder in SERVICE_LOG_DIRS, or write the source into the sources file by hand`
  return { key: 'path', problem }
}

const requireAccess = async (source: LocalEntry, localFiles: LocalFiles): Promise<void> => {
  const refusal = await refusalOfSource(source, localFiles)
  if (refusal !== undefined) throw serviceError('forbidden', `${refusal.key} ${refusal.problem}.`)
}

/** A collector that reads a path or a socket by a program or a library of its own: what the source names is judged before each run. */
export const withAccess = <Entry extends LocalEntry>(
  collector: Collector<Entry>,
  localFiles: LocalFiles,
): Collector<Entry> => {
  const { follow } = collector
  return {
    collect: async function* (request: CollectRequest<Entry>) {
      await requireAccess(request.source, localFiles)
      yield* collector.collect(request)
    },
    ...(follow && {
      follow: async function* (request: CollectRequest<Entry>) {
        await requireAccess(request.source, localFiles)
        yield* follow(request)
      },
    }),
  }
}
