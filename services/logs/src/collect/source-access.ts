import { serviceError } from '@trellis/kit/errors'
import type { LocalFiles } from '../local-files/local-files.ts'
import { usualEngineSockets } from '../setup/discover.ts'
import type { Collector, CollectRequest } from './collector.ts'
import { refusalOfPattern } from './files/find-files.ts'
import type { SourceProblem } from './read-source.ts'
import type { LocalEntry, SourceEntry } from './source-entry.ts'

type LocalPath = { key: 'path' | 'socket'; path: string }

/** The local path that a source names, if any. Paths of SSH sources are on another host. */
const pathOf = (source: SourceEntry): LocalPath | undefined => {
  if (source.transport === 'ssh') return undefined
  const named = 'socket' in source ? { key: 'socket', path: source.socket } : { key: 'path', path: source.path }
  return named.path === undefined ? undefined : (named as LocalPath)
}

/** Why a source must not be read from this host: the key, and a predicate. Links are resolved at the time of the call. */
export const refusalOfSource = async (
  source: SourceEntry,
  localFiles: LocalFiles,
): Promise<(SourceProblem & { key: string }) | undefined> => {
  const named = pathOf(source)
  if (!named) return undefined
  if (named.key === 'socket') {
    const sockets = usualEngineSockets()
    if (source.addedBy === 'administrator' || sockets.includes(named.path)) return undefined
    const problem = `must be one of ${sockets.join(', ')}; write a source with another socket into the sources file by hand`
    return { key: 'socket', problem }
  }
  const refusal = await refusalOfPattern(named.path, localFiles.for(source.addedBy))
  if (refusal === undefined) return undefined
  if (source.addedBy === 'administrator') return { key: 'path', problem: `is not read: ${refusal}` }
  const problem = `must lie in a folder of SERVICE_LOG_DIRS: ${localFiles.describeFolders()}. Put the log there, name its folder in SERVICE_LOG_DIRS, or write the source into the sources file by hand`
  return { key: 'path', problem }
}

const requireAccess = async (source: LocalEntry, localFiles: LocalFiles): Promise<void> => {
  const refusal = await refusalOfSource(source, localFiles)
  if (refusal !== undefined) throw serviceError('forbidden', `${refusal.key} ${refusal.problem}.`)
}

/** For a collector that opens a path or a socket through a program or a library: the path is checked before each run. */
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
