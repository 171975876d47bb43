import type { StoredEntry } from '../entries/entry.ts'
import { hasBit } from '../segments/bitmap.ts'
import type { Part } from '../segments/part.ts'
import { SegmentCorrupt } from '../segments/segment-layout.ts'
import type { Arrived, Replay } from './index-calls.ts'
import type { Mirror } from './mirror.ts'
import type { SharedCatalogue, SharedSegment } from './shared-catalogue.ts'

/** Maximum number of new entries of a segment that are sent to followers. */
const maxReported = 1_000
/** Maximum number of segments that are replayed to a follower that resumes; older entries are left to searches. */
const maxReplayed = 50

/** The newest visible entries of a segment. Entries that cannot be read count as missed: searches report the damage. */
export const arrivalOf = async (part: Part, version: number): Promise<Arrived> => {
  let entries: StoredEntry[] = []
  let all = part.documents
  try {
    const visible = await part.visible()
    all = (await part.corpus()).documents
    const candidates = Array.from(
      { length: Math.min(maxReported, part.documents) },
      (_, index) => part.documents - 1 - index,
    )
    const seen = candidates.reverse().filter((document) => !visible || hasBit(visible, document))
    entries = await part.entries(seen)
  } catch (error) {
    if (!(error instanceof SegmentCorrupt)) throw error
  }
  return { version, entries, missed: all - entries.length }
}

/** Estimated memory of an entry beside its text, in bytes. */
const entryBytes = 1_024
export const bytesOfArrived = ({ entries }: Pick<Arrived, 'entries'>): number =>
  entries.reduce((sum, { text }) => sum + entryBytes + 2 * text.length, 0)

const missedOf = (row: SharedSegment): Arrived => ({ version: row.version, entries: [], missed: row.documents })

/** The arrivals after a version, ascending: from active segments and from segments that were merged since, as long as their files exist. */
export const replayAfter = async (
  after: number,
  catalogue: Pick<SharedCatalogue, 'changes'>,
  mirror: Pick<Mirror, 'open' | 'partOf'>,
): Promise<Replay> => {
  const changes = await catalogue.changes(after)
  if (!changes) return { arrivals: [], isWhole: true, version: after }
  const rows = [...changes.added, ...changes.passed]
    .filter(({ version, contentVersion }) => version === contentVersion && version > after)
    .toSorted((a, b) => a.version - b.version)
  const arrivals = rows.slice(0, -maxReplayed).map(missedOf)
  for (const row of rows.slice(-maxReplayed)) {
    const mirrored = await mirror.open(row)
    arrivals.push(mirrored ? await arrivalOf(mirror.partOf(mirrored), row.version) : missedOf(row))
  }
  // A version that does not exist is of another catalogue.
  return { arrivals, isWhole: !changes.isWhole && changes.version > after, version: changes.version }
}
