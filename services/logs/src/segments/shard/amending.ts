import { serviceError } from '@trellis/kit/errors'
import type { SerialQueue } from '@trellis/kit/lifecycle'
import type { StoredEntry } from '../../entries/entry.ts'
import { keyOfEntryId } from '../../entries/identity.ts'
import { type Severity, severityCode } from '../../entries/severity-code.ts'
import type { Leaving } from '../../search/leaving.ts'
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
  /** Something is hidden that may be cleared away. */
  onBuried: () => void
}

/** What users change of entries that are kept. It holds from when it is answered on; segments are written anew with it in their time. */
export type Amending = {
  /** Hides all entries of a source, or of all units of a stem, and gives how many there were. Not begun where `signal` says so before. */
  deleteSource: (source: string, signal?: Leaving) => Promise<number>
  /** Puts a severity in place of an entry's; undefined where there is no such entry, also when it expires meanwhile. */
  setSeverity: (entryId: string, severity: Severity | null, signal?: Leaving) => Promise<StoredEntry | undefined>
}

export const createAmending = (options: AmendingOptions): Amending => {
  const { serialQueue, views, memory, amendments, guard, onBuried } = options
  /** How often something was buried: tells who looked before whether to look again. */
  let burials = 0

  const deleteSource: Amending['deleteSource'] = (source, signal) =>
    serialQueue.run(async () => {
      guard.check()
      signal?.throwIfAborted()
      const counts = await views.look((parts) => countSources(parts, { source }))
      const entries = counts.reduce((sum, count) => sum + count.entries, 0)
      if (entries === 0) return 0
      // All that came until now is in segments then, and all that comes is past the place.
      await memory.seal()
      signal?.throwIfAborted()
      await amendments.commit({ amend: { bury: { source, place: memory.position } } })
      burials++
      onBuried()
      return entries
    })
  const override = async ({ entryId, origin, effectiveTime }: StoredEntry, severity: Severity | null) => {
    if (amendments.overrides >= maxOverrides)
      throw serviceError('unavailable', 'Too many severities wait to be written into segments. Try again in a while.', {
        retryAfterSeconds,
      })
    const override: SeverityOverride = {
      key: keyOfEntryId(entryId),
      sourceId: origin.sourceId,
      time: effectiveTime,
      severity: severity === null ? 0 : severityCode[severity],
      place: amendments.nextPlace(),
    }
    await amendments.commit({ amend: { override } })
    return override
  }
  const setSeverity: Amending['setSeverity'] = async (entryId, severity, signal) => {
    for (;;) {
      const before = burials
      const entry = await views.look((parts) => findEntry(parts, entryId, signal))
      if (!entry) return undefined
      const changed = await serialQueue.run(async (): Promise<StoredEntry | 'gone' | undefined> => {
        // Its source may have been deleted since it was found.
        if (burials !== before) return undefined
        signal?.throwIfAborted()
        const done = await override(entry, severity)
        // Segments expire beside these turns. An override that outlived its entry would apply to the same entry sent again.
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
