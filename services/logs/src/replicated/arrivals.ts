import type { StoredEntry } from '../entries/entry.ts'
import { hasBit } from '../segments/bitmap.ts'
import type { Part } from '../segments/part.ts'
import { SegmentCorrupt } from '../segments/segment-layout.ts'
import type { Arrived, Replay } from './index-calls.ts'
import type { Mirror } from './mirror.ts'
import type { SharedCatalogue, SharedSegment } from './shared-catalogue.ts'

/** So many new entries of a segment are told of one by one. */
const maxTold = 1_000
/** Who comes back is told of the entries of so many segments; more than that is no tail but a search. */
const maxReplayed = 50

/** The newest entries of a segment. What cannot be read is missed: searches see to it. */
export const arrivalOf = async (part: Part, version: number): Promise<Arrived> => {
  let entries: StoredEntry[] = []
  let all = part.documents
  try {
    const visible = await part.visible()
    all = (await part.corpus()).documents
    const told = Array.from({ length: Math.min(maxTold, part.documents) }, (_, index) => part.documents - 1 - index)
    const seen = told.reverse().filter((document) => !visible || hasBit(visible, document))
    entries = await part.entries(seen)
  } catch (error) {
    if (!(error instanceof SegmentCorrupt)) throw error
  }
  return { version, entries, missed: all - entries.length }
}

/** What an entry takes beside its text. */
const entryBytes = 1_024
export const bytesOfArrived = ({ entries }: Pick<Arrived, 'entries'>): number =>
  entries.reduce((sum, { text }) => sum + entryBytes + 2 * text.length, 0)

const missedOf = (row: SharedSegment): Arrived => ({ version: row.version, entries: [], missed: row.documents })

/**
 * What came after a version, ascending: from segments that count and from those that were merged since, as long as their files are there.
 */
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
  // A version that never was is of another catalogue.
  return { arrivals, isWhole: !changes.isWhole && changes.version > after, version: changes.version }
}
