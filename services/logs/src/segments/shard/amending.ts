import { serviceError } from '@trellis/kit/errors'
import type { SerialQueue } from '@trellis/kit/lifecycle'
import type { StoredEntry } from '../../entries/entry.ts'
import { keyOfEntryId } from '../../entries/identity.ts'
import { type Severity, severityCode } from '../../entries/severity-code.ts'
import type { AbortCheck } from '../../search/abort-check.ts'
import { maxOverrides, type SeverityOverride } from '../amendments.ts'
import { countSources } from '../count-sources.ts'
import { findEntry } from '../find-entry.ts'
import type { HeldAmendments } from './held-amendments.ts'
import type { MemoryIndexes } from './memory-indexes.ts'
import type { Views } from './views.ts'
import type { WriteGuard } from './write-guard.ts'

const retryAfterSeconds = 60

export type AmendingOptions = {
  serialQueue: Pick<SerialQueue, 'run'>
  views: Pick<Views, 'look'>
  memory: Pick<MemoryIndexes, 'seal' | 'position'>
  amendments: HeldAmendments
  guard: Pick<WriteGuard, 'check'>
  /** Called when the entries of a source, or of a stem of sources, are hidden, which may be removed from segments. */
  onDeleted: (source: string) => void
}

/** Changes by users to stored entries. A change is durable when it resolves, and is folded into segments later. */
export type Amending = {
  /** Hides all entries of a source, or of all units of a stem, and returns their number. Does nothing if `signal` is aborted before. */
  deleteSource: (source: string, signal?: AbortCheck) => Promise<number>
  /** Overrides the severity of an entry; undefined if there is no such entry, or if it expires meanwhile. */
  setSeverity: (entryId: string, severity: Severity | null, signal?: AbortCheck) => Promise<StoredEntry | undefined>
}

export const createAmending = (options: AmendingOptions): Amending => {
  const { serialQueue, views, memory, amendments, guard, onDeleted } = options
  /** The number of deletions so far, by which a concurrent change detects that it must look up its entry again. */
  let deletions = 0

  const deleteSource: Amending['deleteSource'] = (source, signal) =>
    serialQueue.run(async () => {
      guard.check()
      signal?.throwIfAborted()
      const counts = await views.look((parts) => countSources(parts, { source }))
      const entries = counts.reduce((sum, count) => sum + count.entries, 0)
      if (entries === 0) return 0
      // Afterwards all earlier entries are in segments, and all later ones are past this position.
      await memory.seal()
      signal?.throwIfAborted()
      await amendments.commit({ amend: { tombstone: { source, position: memory.position } } })
      deletions++
      onDeleted(source)
      return entries
    })
  const override = async ({ entryId, origin, effectiveTime }: StoredEntry, severity: Severity | null) => {
    if (amendments.overrides >= maxOverrides)
      throw serviceError('unavailable', 'Too many severities wait to be written into segments. Try again later.', {
        retryAfterSeconds,
      })
    const override: SeverityOverride = {
      key: keyOfEntryId(entryId),
      sourceId: origin.sourceId,
      time: effectiveTime,
      severity: severity === null ? 0 : severityCode[severity],
      position: amendments.nextPosition(),
    }
    await amendments.commit({ amend: { override } })
    return override
  }
  const setSeverity: Amending['setSeverity'] = async (entryId, severity, signal) => {
    for (;;) {
      const before = deletions
      const entry = await views.look((parts) => findEntry(parts, entryId, signal))
      if (!entry) return undefined
      const changed = await serialQueue.run(async (): Promise<StoredEntry | 'gone' | undefined> => {
        // The source may have been deleted since the entry was found.
        if (deletions !== before) return undefined
        signal?.throwIfAborted()
        const done = await override(entry, severity)
        // Segments expire outside this queue. An override that outlived its entry would apply to the same entry sent again.
        if (await views.look((parts) => findEntry(parts, entryId))) return { ...entry, severity }
        await amendments.commit({ amend: { folded: [done] } })
        return 'gone'
      })
      if (changed === 'gone') return undefined
      if (changed) return changed
    }
  }
  return { deleteSource, setSeverity }
}
