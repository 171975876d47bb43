import type { MemoryIndexLimits } from '../segments/memory-index.ts'
import type { SharedSegment } from './shared-catalogue.ts'

/**
 * The number of segments of one tier that make one of the next: an entry is written about as often as the size of a full segment has digits to
 * this base.
 */
export const segmentsPerTier = 8

const tierOf = ({ documents }: SharedSegment): number => Math.floor(Math.log(documents) / Math.log(segmentsPerTier))

/**
 * The segments to merge next: from the lowest tier with enough segments, those that fit into one, smallest first. Empty when no merge is
 * worthwhile. Segments that are half full are not merged.
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
    // In the top tiers, fewer segments than `segmentsPerTier` fill one.
    const fillsOne = documents > limits.documents / 2 || textBytes > limits.textBytes / 2
    if (chosen.length >= segmentsPerTier || (fillsOne && chosen.length > 1)) return chosen
  }
  return []
}
