import type { SourceCount } from '../threads/index-calls.ts'

/** The sum of the counts that two stores have for one source. */
export const addSourceCounts = (left: SourceCount, right: SourceCount): SourceCount => ({
  sourceId: left.sourceId,
  entries: left.entries + right.entries,
  bySeverity: left.bySeverity.map((count, code) => count + (right.bySeverity[code] ?? 0)) as SourceCount['bySeverity'],
  firstTime: Math.min(left.firstTime, right.firstTime),
  lastTime: Math.max(left.lastTime, right.lastTime),
})

/** The sources of several stores, each once. */
export const addSources = (counts: readonly SourceCount[]): SourceCount[] => {
  const known = new Map<string, SourceCount>()
  for (const count of counts) {
    const before = known.get(count.sourceId)
    known.set(count.sourceId, before ? addSourceCounts(before, count) : count)
  }
  return [...known.values()]
}
