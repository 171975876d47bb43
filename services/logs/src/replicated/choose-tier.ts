import type { MemoryIndexLimits } from '../segments/memory-index.ts'
import type { SharedSegment } from './shared-catalogue.ts'

/** So many segments of a size make one of the next: entries are written about as often as a full segment has digits to this base. */
export const segmentsPerTier = 8

const tierOf = ({ documents }: SharedSegment): number => Math.floor(Math.log(documents) / Math.log(segmentsPerTier))

/**
 * The segments to be merged next: of the lowest size of which there are enough, all that fit into one, smallest first. Empty when nothing
 * is worth it. Segments that are half full stay as they are.
 */
export const chooseTier = (rows: readonly SharedSegment[], limits: MemoryIndexLimits): SharedSegment[] => {
  const small = rows.filter(
    ({ documents, textBytes }) => documents <= limits.documents / 2 && textBytes <= limits.textBytes / 2,
  )
  const tiers = Map.groupBy(small, tierOf)
  for (const tier of [...tiers.keys()].toSorted((a, b) => a - b)) {
    const chosen: SharedSegment[] = []
    let documents = 0
    let textBytes = 0
    for (const row of (tiers.get(tier) ?? []).toSorted((a, b) => a.documents - b.documents)) {
      documents += row.documents
      textBytes += row.textBytes
      if (documents > limits.documents || textBytes > limits.textBytes) break
      chosen.push(row)
    }
    // Of the largest sizes fewer than a tier fill a segment.
    const fillsOne = documents > limits.documents / 2 || textBytes > limits.textBytes / 2
    if (chosen.length >= segmentsPerTier || (fillsOne && chosen.length > 1)) return chosen
  }
  return []
}
