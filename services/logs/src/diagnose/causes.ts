import { domainOf, patternOf } from '../patterns/active-patterns.ts'
import { type Domain, domains } from '../patterns/pattern.ts'
import { type Group, timesIn } from './groups.ts'

/** `domain` is the domain of the pattern that matched, if any. */
export type Cause = { title: string; confidence: number; evidence: string[]; domain: Domain | undefined }
export const maxEvidence = 10
const maxCauses = 5
const maxTitle = 160
/** From this share on, a group counts as the cause of what it explains; see `LinkedGroup`. */
export const certainShare = 0.8

const weights = { CRITICAL: 4, ERROR: 2, WARN: 1 }

/** A group with its relevance to the question, and its weight as evidence for its causes. */
export type WeighedGroup = Group & {
  nearest: number
  weight: number
  /** The certainty that it explains another group, see `LinkedGroup`; only set for linked groups. */
  share?: number
  /** Whether it is an event that changes something, whatever its severity. */
  isChange?: boolean
}

/** 4 for a critical entry, 2 for an error, 1 for a warning, a quarter for others; repeats multiply it by 1 plus the binary logarithm of their number. */
export const weightOf = (group: Group): number =>
  (group.worst === null ? 0.25 : weights[group.worst]) * (1 + Math.log2(timesIn(group)))

export const shortened = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1)}…`

/** An ended service, a crashed program and a failed request are symptoms; other patterns are closer to the cause. */
const symptomWeight = 0.8
const failedRequests: ReadonlySet<string> = new Set(['http_server_error', 'http_client_error', 'upstream_failure'])
const weightOfTag = (tag: string): number =>
  domainOf(tag) === 'service_health' || failedRequests.has(tag) ? symptomWeight : 1

/** A cause that a group is evidence for: each of its patterns, or its message if no pattern matched. */
type Sign = { title: string; share: number; domain: Domain | undefined }

const domainNamed = (name: string): Domain | undefined => domains.find((domain) => domain === name)

const errorSeverities: readonly Group['worst'][] = ['CRITICAL', 'ERROR']
export const isErrorGroup = ({ worst }: Group) => errorSeverities.includes(worst)

/** Warnings only count as evidence if no failure is as relevant to the question. */
const signsOf = (group: WeighedGroup, nearestFailed: number): Sign[] => {
  const { entries, template, worst, nearest, share = 0, isChange = false } = group
  const [newest] = entries
  const { sourceId } = newest.origin
  // A group that explains the trouble is more than a symptom.
  const isLinked = share >= certainShare
  if (newest.matchedPatterns.length > 0)
    return newest.matchedPatterns.map((tag) => ({
      title: patternOf(tag)?.description ?? tag,
      share: isLinked ? 1 : weightOfTag(tag),
      domain: domainNamed(domainOf(tag)),
    }))
  const quotation = shortened(template.replaceAll('\n', ' '), maxTitle)
  if (isChange) return [{ title: `A change of ${sourceId}: ${quotation}`, share: 1, domain: undefined }]
  const isWarning = worst === 'WARN'
  if (!errorSeverities.includes(worst) && !(isWarning && (isLinked || nearest > nearestFailed))) return []
  return [
    { title: `${isWarning ? 'A warning' : 'An error'} of ${sourceId}: ${quotation}`, share: 1, domain: undefined },
  ]
}

/**
 * The causes that groups of entries are evidence for, strongest first. The confidence is a cause's share of the total weight, with symptoms a fifth
 * less, and is limited to 0.95, because this is no proof.
 */
export const suspectedCauses = (groups: readonly WeighedGroup[]): Cause[] => {
  type Known = { weight: number; evidence: string[]; first: number; domain: Domain | undefined; isLinked: boolean }
  const byTitle = new Map<string, Known>()
  const nearestFailed = Math.max(0, ...groups.filter(isErrorGroup).map(({ nearest }) => nearest))
  let total = 0
  for (const group of groups) {
    const { weight } = group
    total += weight
    for (const { title, share, domain } of signsOf(group, nearestFailed)) {
      const known = byTitle.get(title) ?? { weight: 0, evidence: [], first: group.first, domain, isLinked: false }
      // The weight of a linked group already includes the weight of what it explains.
      known.isLinked ||= group.share !== undefined
      known.weight = known.isLinked ? Math.max(known.weight, weight * share) : known.weight + weight * share
      known.first = Math.min(known.first, group.first)
      known.evidence.push(...group.entries.slice(0, maxEvidence - known.evidence.length).map(({ entryId }) => entryId))
      byTitle.set(title, known)
    }
  }
  return [...byTitle]
    .toSorted((a, b) => b[1].weight - a[1].weight || a[1].first - b[1].first || (a[0] < b[0] ? -1 : 1))
    .slice(0, maxCauses)
    .map(([title, { weight, evidence, domain }]) => ({
      title,
      confidence: Math.round(Math.min(0.95, weight / Math.max(total, 1)) * 100) / 100,
      evidence,
      domain,
    }))
}
