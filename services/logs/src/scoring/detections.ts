import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import {
  acknowledge,
  countDetections,
  type DetectionFilters,
  deleteOldest,
  extendDetection,
  findDetection,
  findSame,
  insertDetection,
  listDetections,
} from './detection-store.ts'
import { type Finding, timesOf } from './finding.ts'
import type { DetectionRow, ScoringTables } from './tables.ts'

export type Detections = {
  /** Stores findings. A finding that repeats or continues a detection extends it. Returns the number of new detections. */
  store: (findings: readonly Finding[]) => Promise<number>
  /** Newest first. */
  list: (filters: DetectionFilters) => Promise<DetectionRow[]>
  /** The updated detection; undefined if it does not exist. Acknowledging again only changes the notes, if there are any. */
  acknowledge: (id: string, notes: string | undefined) => Promise<DetectionRow | undefined>
  counts: (scorer: string) => Promise<{ total: number; open: number }>
}

/** Findings with the same key within this time of the last one are the same detection. */
const sameMilliseconds = 3_600_000
/** Characters of an entry that are stored with a detection. */
const maxText = 4_096
/** Findings per transaction. Each transaction waits for the disk and blocks other users of the database, with SQLite all of them. */
const maxAtOnce = 20
/** Maximum number of stored detections; beyond it, the oldest tenth is deleted in one step. */
const maxDetections = 100_000

const sameKeyOf = ({ scorer, label, subject, entry }: Finding): string =>
  hash('sha256', JSON.stringify([scorer, label, entry.origin.branch, entry.origin.sourceId, subject]), 'hex').slice(
    0,
    32,
  )

/** Without U+0000, which not every database can store, and not cut within a surrogate pair. */
const shown = (text: string): string => text.replaceAll('\0', '\uFFFD').slice(0, maxText).toWellFormed()

const rowOf = (finding: Finding, sameKey: string, detectedAt: number): DetectionRow => {
  const { entry } = finding
  const { first, last } = timesOf(finding)
  return {
    id: hash('sha256', `${sameKey}\0${entry.entryId}`, 'hex').slice(0, 32),
    same_key: sameKey,
    scorer: finding.scorer,
    label: finding.label,
    score: finding.score,
    severity: finding.severity,
    subject: shown(finding.subject),
    reason: shown(finding.reason),
    entry_id: entry.entryId,
    source_id: entry.origin.sourceId,
    text: shown(entry.text),
    first_time: first,
    last_time: last,
    entry_count: finding.count,
    detected_at: detectedAt,
    acknowledged: 0,
    acknowledged_at: null,
    notes: null,
  }
}

export const createDetections = (db: Kysely<ScoringTables>, now: () => number, max = maxDetections): Detections => {
  const storeOne = async (transaction: Kysely<ScoringTables>, finding: Finding) => {
    const sameKey = sameKeyOf(finding)
    const row = rowOf(finding, sameKey, now())
    const known = await findSame(transaction, {
      sameKey,
      from: row.first_time - sameMilliseconds,
      until: row.last_time + sameMilliseconds,
    })
    if (known) await extendDetection(transaction, known, row)
    else await insertDetection(transaction, row)
    return known === undefined
  }
  /** Returns the number of new detections. */
  const storeSome = (findings: readonly Finding[]) =>
    transact(db, async (transaction) => {
      let fresh = 0
      for (const finding of findings) if (await storeOne(transaction, finding)) fresh++
      return fresh
    })
  return {
    store: async (findings) => {
      let fresh = 0
      for (let from = 0; from < findings.length; from += maxAtOnce) {
        fresh += await storeSome(findings.slice(from, from + maxAtOnce))
        await setImmediate()
      }
      if (fresh > 0 && (await countDetections(db, {})) > max) await deleteOldest(db, Math.ceil(max * 0.1))
      return fresh
    },
    list: (filters) => listDetections(db, filters),
    acknowledge: async (id, notes) => {
      await acknowledge(db, { id, notes, at: now() })
      return findDetection(db, id)
    },
    counts: async (scorer) => ({
      total: await countDetections(db, { scorer }),
      open: await countDetections(db, { scorer, acknowledged: false }),
    }),
  }
}
