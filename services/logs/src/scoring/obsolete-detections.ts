import type { Kysely } from 'kysely'
import { isStorable } from '../entries/usable-id.ts'
import type { SourceCount } from '../threads/index-calls.ts'
import type { ScoringTables } from './tables.ts'

type Db = Kysely<Pick<ScoringTables, 'log_detections' | 'log_scored_sources'>>

/** Some databases reject statements with more parameters. */
const maxInOne = 500

const deleteOfSources = async (db: Db, sourceIds: readonly string[]) => {
  for (let from = 0; from < sourceIds.length; from += maxInOne) {
    const portion = sourceIds.slice(from, from + maxInOne)
    await db.deleteFrom('log_detections').where('source_id', 'in', portion).execute()
    await db.deleteFrom('log_scored_sources').where('source_id', 'in', portion).execute()
  }
}

const sourcesOfDetections = async (db: Db): Promise<string[]> =>
  (await db.selectFrom('log_detections').select('source_id').distinct().execute()).map(({ source_id }) => source_id)

const deleteOfSourceBefore = (db: Db, sourceId: string, moment: number) =>
  db.deleteFrom('log_detections').where('source_id', '=', sourceId).where('last_time', '<', moment).execute()

const deleteBefore = (db: Db, moment: number) =>
  db.deleteFrom('log_detections').where('detected_at', '<', moment).where('last_time', '<', moment).execute()

/** Detections are deleted with the entries that they are about. */
export type ObsoleteDetections = {
  /** Deletes the detections of deleted sources, and the progress of the scorers in them. */
  dropSources: (sourceIds: readonly string[]) => Promise<void>
  /** Deletes detections older than all remaining entries of their source. `counts` are all sources with entries, on every node. */
  dropOutlived: (counts: readonly Pick<SourceCount, 'sourceId' | 'firstTime'>[]) => Promise<void>
  /** Deletes detections of entries that arrived before a time (epoch milliseconds); called when none of these entries is left. */
  dropBefore: (moment: number) => Promise<void>
}

export const createObsoleteDetections = (db: Db): ObsoleteDetections => ({
  dropSources: (sourceIds) => deleteOfSources(db, sourceIds.filter(isStorable)),
  dropOutlived: async (counts) => {
    const firstTimes = new Map(counts.map(({ sourceId, firstTime }) => [sourceId, firstTime]))
    const known = await sourcesOfDetections(db)
    await deleteOfSources(
      db,
      known.filter((sourceId) => !firstTimes.has(sourceId)),
    )
    for (const sourceId of known) {
      const firstTime = firstTimes.get(sourceId)
      if (firstTime !== undefined) await deleteOfSourceBefore(db, sourceId, firstTime)
    }
  },
  dropBefore: async (moment) => {
    await deleteBefore(db, moment)
  },
})
