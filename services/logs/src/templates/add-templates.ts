import type { TemplateCounts } from './count-templates.ts'

const added = (left: TemplateCounts, right: TemplateCounts): TemplateCounts => ({
  ...left,
  template: left.template || right.template,
  count: left.count + right.count,
  bySeverity: [
    left.bySeverity[0] + right.bySeverity[0],
    left.bySeverity[1] + right.bySeverity[1],
    left.bySeverity[2] + right.bySeverity[2],
    left.bySeverity[3] + right.bySeverity[3],
  ],
  firstSeen: Math.min(left.firstSeen, right.firstSeen),
  lastSeen: Math.max(left.lastSeen, right.lastSeen),
  firstCounted: Math.min(left.firstCounted, right.firstCounted),
  lastCounted: Math.max(left.lastCounted, right.lastCounted),
  buckets: left.buckets.map((count, bucket) => count + (right.buckets[bucket] ?? 0)),
})

/** The sums of several stores' counts. */
export const addTemplates = (counts: readonly TemplateCounts[]): TemplateCounts[] => {
  const byId = new Map<string, TemplateCounts>()
  for (const count of counts) {
    const known = byId.get(count.templateId)
    byId.set(count.templateId, known ? added(known, count) : count)
  }
  return [...byId.values()]
}
