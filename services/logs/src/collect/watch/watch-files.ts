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
  /** Stores what the source has to say, or only what the logs of these files have. */
  store: (only: ReadonlySet<string> | undefined, signal: AbortSignal) => Promise<void>
}

/** Looks over a whole source take no more than one part in so many of the time. */
const lookShare = 10

/**
 * Follows the files of a source. What the system tells of is stored when there are enough lines of it or some time has gone by. Every so often all is looked
 * at, since systems do not tell of everything (network file systems, links). Lines wait in their files, not in memory.
 */
export const watchFiles = ({
  source,
  access,
  store,
  limits,
  closing,
  onStored,
  onProblem,
}: WatchFilesOptions): SourceWatch => {
  const pending = createPending(limits)
  const growth = createGrowth(openLocalFile(access.open))
  let known: ReadonlySet<string> = new Set()
  /** What is asked for a second time, since it may have had an entry that was still open. */
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
    const step = async (isLook: boolean) => {
      const changed = pending.take(isLook)
      if (changed === undefined) {
        // Watched first: what comes while all is read is told of.
        known = await find(signal)
        const isRefused = (await refusalOfPattern(source.path, access)) !== undefined
        changes.watch(isRefused ? [] : [source.path, ...[...known].map(dirname)])
      }
      await store(changed, signal)
      onStored()
      const fresh = (changed ?? new Set<string>()).difference(repeated)
      repeated = fresh
      for (const path of fresh) pending.add(path, 0)
    }
    for (let lookAt = performance.now(); ; ) {
      await pending.due(lookAt, closing)
      const isLast = closing.aborted
      const begun = performance.now()
      const isLook = begun >= lookAt
      try {
        await step(isLook || isLast)
        const pause = Math.max(limits.lookMilliseconds, (performance.now() - begun) * lookShare)
        if (isLook) lookAt = performance.now() + pause
      } catch (error) {
        if (!isLast) onProblem(error)
        lookAt = performance.now() + limits.retryMilliseconds
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
