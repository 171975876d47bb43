import { domainOf, patternOf } from '../patterns/in-force.ts'
import { type Domain, domains } from '../patterns/pattern.ts'
import { type Group, timesIn } from './groups.ts'

/** `domain` is what the pattern behind it is about, where there is one. */
export type Cause = { title: string; confidence: number; evidence: string[]; domain: Domain | undefined }
export const maxEvidence = 10
const maxCauses = 5
const maxTitle = 160
/** From this share on a group has led to what it explains; see `LinkedGroup`. */
export const sureShare = 0.8

const weights = { CRITICAL: 4, ERROR: 2, WARN: 1 }

/** A group, how near it is to the question, and how much it speaks for its causes. */
export type WeighedGroup = Group & {
  nearest: number
  weight: number
  /** Of one that explains others: how surely, see `LinkedGroup`. */
  share?: number
  /** Of an event that changes something, whatever its severity. */
  isChange?: boolean
}

/** 4 for a critical entry, 2 for an error, 1 for a warning, a quarter for others; a kind that repeats weighs as much as its logarithm. */
export const weightOf = (group: Group): number =>
  (group.worst === null ? 0.25 : weights[group.worst]) * (1 + Math.log2(timesIn(group)))

export const shortened = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1)}…`

/** That a service ended, a program crashed or a request failed is what happened; other patterns are nearer to why. */
const symptomWeight = 0.8
const failedRequests: ReadonlySet<string> = new Set(['http_server_error', 'http_client_error', 'upstream_failure'])
const weightOfTag = (tag: string): number =>
  domainOf(tag) === 'service_health' || failedRequests.has(tag) ? symptomWeight : 1

/** What a group speaks for: its patterns, or, where none knows a failure, the message itself. */
type Sign = { title: string; share: number; domain: Domain | undefined }

const domainNamed = (name: string): Domain | undefined => domains.find((domain) => domain === name)

const errorSeverities: readonly Group['worst'][] = ['CRITICAL', 'ERROR']
export const isErrorGroup = ({ worst }: Group) => errorSeverities.includes(worst)

/** Warnings speak for something only where nothing failed that is as near to the question. */
const signsOf = (group: WeighedGroup, nearestFailed: number): Sign[] => {
  const { entries, template, worst, nearest, share = 0, isChange = false } = group
  const [newest] = entries
  const { sourceId } = newest.origin
  // What is known to have led to it is more than a symptom.
  const isLinked = share >= sureShare
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
 * What groups of entries speak for, strongest first. Confidence is a cause's share of all weight, symptoms a fifth less, held below 0.95: a
 * hint is no proof.
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
      // What explains others has their weight in its own already.
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
