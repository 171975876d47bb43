import type { StoredEntry } from '../entries/entry.ts'
import { patternOf } from '../patterns/library.ts'
import type { Facets } from '../search/facets.ts'
import type { Histogram } from '../search/histogram.ts'

export type Cause = { title: string; confidence: number; evidence: string[] }
export type Counts = {
  byDomain: Record<string, number>
  bySeverity: Record<string, number>
  bySource: Record<string, number>
}

const mostEvidence = 10
const mostCauses = 5

const record = (values: readonly { value: string | null; count: number }[] | undefined): Record<string, number> =>
  Object.fromEntries((values ?? []).flatMap(({ value, count }) => (value === null ? [] : [[value, count]])))

export const countsOf = (facets: Facets | null): Counts => ({
  byDomain: record(facets?.domain),
  bySeverity: record(facets?.severity),
  bySource: record(facets?.source),
})

const weights = { CRITICAL: 4, ERROR: 2, WARN: 1 }
const weightOf = (severity: StoredEntry['severity']) => (severity === null ? 0.25 : weights[severity])

/**
 * What the patterns of entries speak for, strongest first. Confidence is the share of a pattern's weight (4 for a critical entry,
 * 2 for an error, 1 for a warning, a quarter for others) among all, held below 0.95: a pattern is a hint, not a proof.
 */
export const suspectedCauses = (entries: readonly StoredEntry[]): Cause[] => {
  const byTag = new Map<string, { weight: number; evidence: string[] }>()
  let total = 0
  for (const entry of entries) {
    const weight = weightOf(entry.severity)
    total += weight
    for (const tag of entry.matchedPatterns) {
      const known = byTag.get(tag) ?? { weight: 0, evidence: [] }
      known.weight += weight
      if (known.evidence.length < mostEvidence) known.evidence.push(entry.entryId)
      byTag.set(tag, known)
    }
  }
  return [...byTag]
    .toSorted((a, b) => b[1].weight - a[1].weight || (a[0] < b[0] ? -1 : 1))
    .slice(0, mostCauses)
    .map(([tag, { weight, evidence }]) => ({
      title: patternOf(tag)?.description ?? tag,
      confidence: Math.round(Math.min(0.95, weight / Math.max(total, 1)) * 100) / 100,
      evidence,
    }))
}

export const timelineOf = (
  all: Histogram | null,
  errors: Histogram | null,
): { time: string; count: number; errors: number }[] => {
  if (!all) return []
  const length = all.bucketSeconds * 1000
  const points = all.counts.map((count, bucket) => ({
    time: new Date(all.start + bucket * length).toISOString(),
    count,
    errors: 0,
  }))
  errors?.counts.forEach((count, bucket) => {
    // The errors' own buckets may be finer; each counts where its middle falls.
    const middle = errors.start + (bucket + 0.5) * errors.bucketSeconds * 1000
    const point = points[Math.floor((middle - all.start) / length)]
    if (point) point.errors += count
  })
  return points.filter(({ count, errors: failed }) => count > 0 || failed > 0)
}

const list = (counts: Record<string, number>, most: number): string =>
  Object.entries(counts)
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, most)
    .map(([name, count]) => `${name} (${count})`)
    .join(', ')

export type RulesSummaryInput = {
  keywords: readonly string[]
  window: string
  total: number
  counts: Counts
  causes: readonly Cause[]
  entries: readonly StoredEntry[]
}

/** The summary that needs no model: what fits, how bad, where, since when, and what it points to. */
export const rulesSummary = ({ keywords, window, total, counts, causes, entries }: RulesSummaryInput): string => {
  const asked = keywords.length > 0 ? ` for ${keywords.map((word) => `"${word}"`).join(', ')}` : ''
  if (entries.length === 0) return `Nothing was found${asked} ${window}. Ask with other words, or for another time.`
  const sentences = [`${total} ${total === 1 ? 'entry fits' : 'entries fit'}${asked} ${window}.`]
  const severity = list(counts.bySeverity, 3)
  if (severity !== '') sentences.push(`By severity: ${severity}.`)
  const sources = list(counts.bySource, 3)
  if (sources !== '') sentences.push(`Mostly from ${sources}.`)
  const domains = list(counts.byDomain, 3)
  if (domains !== '') sentences.push(`They are about ${domains}.`)
  const [first] = causes
  if (first)
    sentences.push(
      `The strongest hint: ${first.title.charAt(0).toLowerCase()}${first.title.slice(1)} (${first.evidence.length} ${first.evidence.length === 1 ? 'entry' : 'entries'} cited).`,
    )
  return sentences.join(' ')
}
