import { dirname } from 'node:path'
import type { LocalAccess } from '../../local-files/local-files.ts'
import { findFiles, refusalOfPattern } from '../files/find-files.ts'
import { openLocalFile } from '../files/log-file.ts'
import type { LocalFileEntry } from '../source-entry.ts'
import { createFileChanges } from './file-changes.ts'
import { createGrowth } from './growth.ts'
import { createPending } from './pending.ts'
import { abortedAfter, type SourceWatch, type WatchOptions } from './source-watch.ts'

export type WatchFilesOptions = WatchOptions<LocalFileEntry> & {
  access: LocalAccess
  /** Stores the new lines of the source, or only those in the logs of these files. */
  store: (only: ReadonlySet<string> | undefined, signal: AbortSignal) => Promise<void>
}

/** The pause after polling a whole source is at least this many times as long as the poll took. */
const pollPauseFactor = 10

/**
 * Follows the files of a source. Reported changes are stored when there are enough lines or some time has passed. The whole source is polled
 * periodically, since operating systems do not report all changes (network file systems, links). Lines wait in their files, not in memory.
 */
export const watchFiles = ({
  source,
  access,
  store,
  limits,
  closing,
  onStored,
  onProblem,
  onFollowed,
}: WatchFilesOptions): SourceWatch => {
  const pending = createPending(limits)
  const growth = createGrowth(openLocalFile(access.open))
  let known: ReadonlySet<string> = new Set()
  /** Files that are stored a second time, since they may have had an open entry. */
  let repeated: ReadonlySet<string> = new Set()

  const note = async (path: string) => {
    if (known.has(path)) pending.add(path, await growth.linesOf(path))
    else pending.addAll()
  }
  const find = async (signal: AbortSignal): Promise<ReadonlySet<string>> => {
    const files = await findFiles(source, { access, signal, onProblem: () => undefined })
    return new Set(files.map(({ path }) => path))
  }
  const follow = async () => {
    using changes = createFileChanges((path) => void note(path).catch(onProblem))
    using stopping = abortedAfter(closing, limits.closingMilliseconds)
    const { signal } = stopping
    const step = async (isPoll: boolean) => {
      const changed = pending.take(isPoll)
      if (changed === undefined) {
        // Watching starts first, so that changes while all files are read are reported.
        known = await find(signal)
        const isRefused = (await refusalOfPattern(source.path, access)) !== undefined
        changes.watch(isRefused ? [] : [source.path, ...[...known].map(dirname)])
      }
      await store(changed, signal)
      onStored()
      onFollowed()
      const fresh = (changed ?? new Set<string>()).difference(repeated)
      repeated = fresh
      for (const path of fresh) pending.add(path, 0)
    }
    for (let pollAt = performance.now(); ; ) {
      await pending.due(pollAt, closing)
      const isLast = closing.aborted
      const begun = performance.now()
      const isPoll = begun >= pollAt
      try {
        await step(isPoll || isLast)
        const pause = Math.max(limits.pollMilliseconds, (performance.now() - begun) * pollPauseFactor)
        if (isPoll) pollAt = performance.now() + pause
      } catch (error) {
        if (!isLast) onProblem(error)
        pollAt = performance.now() + limits.retryMilliseconds
      }
      if (isLast) return
    }
  }
  return {
    get buffered() {
      return pending.lines
    },
    done: follow().catch(onProblem),
  }
}
