import type { KnownFact } from '../context/knowledge.ts'
import { counted, nounFor } from '../counted.ts'
import type { Zone } from '../formats/zone.ts'
import type { Facets } from '../search/facets.ts'
import type { TimeCounts } from '../search/histogram.ts'
import { advice } from './advice.ts'
import { type Cause, certainShare, isErrorGroup, shortened, type WeighedGroup } from './causes.ts'
import { timesIn } from './groups.ts'
import type { LinkedGroup } from './links.ts'
import { shownTime } from './shown-time.ts'
import type { Silence } from './silence.ts'
import { type SourceScan, scanInWords } from './source-scan.ts'
import type { Trouble } from './trouble.ts'

export type Counts = {
  byDomain: Record<string, number>
  bySeverity: Record<string, number>
  bySource: Record<string, number>
}

const maxFacts = 3

const record = (values: readonly { value: string | null; count: number }[] | undefined): Record<string, number> =>
  Object.fromEntries((values ?? []).flatMap(({ value, count }) => (value === null ? [] : [[value, count]])))

export const countsOf = (facets: Facets | null): Counts => ({
  byDomain: record(facets?.domain),
  bySeverity: record(facets?.severity),
  bySource: record(facets?.source),
})

export const timelineOf = (
  all: TimeCounts | null,
  errors: TimeCounts | null,
): { time: string; count: number; errors: number }[] => {
  if (!all) return []
  const length = all.bucketSeconds * 1000
  const points = all.counts.map((count, bucket) => ({
    time: new Date(all.start + bucket * length).toISOString(),
    count,
    errors: 0,
  }))
  errors?.counts.forEach((count, bucket) => {
    // The buckets of errors may be finer; each counts for the point that contains its middle.
    const middle = errors.start + (bucket + 0.5) * errors.bucketSeconds * 1000
    const point = points[Math.floor((middle - all.start) / length)]
    if (point) point.errors += count
  })
  return points.filter(({ count, errors: failed }) => count > 0 || failed > 0)
}

const list = (counts: Record<string, number>, max: number): string =>
  Object.entries(counts)
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, max)
    .map(([name, count]) => `${name} (${count.toLocaleString('en')})`)
    .join(', ')

export type RulesSummaryInput = {
  keywords: readonly string[]
  /** Whether words that logs use for the keywords were searched for, too. */
  withLogged: boolean
  /** The window in words, such as "since 09:00 UTC". */
  window: string
  zone: Zone
  /** The numbers of entries with a keyword, of those with all keywords, and of errors; and the scans of the sources that the question names. */
  found: { withAny: number; withAll: number; errors: number; scans: readonly SourceScan[] }
  /** Names of the branches that did not respond. */
  away: readonly string[]
  /** The source that the search was restricted to, if it has no entries. */
  unknownSource: string | undefined
  counts: Counts
  causes: readonly Cause[]
  groups: readonly WeighedGroup[]
  /** Earlier failures that explain them, the highest weight first. */
  linked: readonly LinkedGroup[]
  trouble: Trouble
  /** Time of the first entry of any source, epoch milliseconds. */
  earliest: number
  silences: readonly Silence[]
  /** Known facts about the systems in the question, the most relevant first. */
  facts: readonly Pick<KnownFact, 'category' | 'key' | 'value'>[]
}

const spanInWords = (seconds: number): string => {
  if (seconds < 60) return seconds === 1 ? 'a second' : `${seconds} seconds`
  if (seconds < 3_600) return seconds === 60 ? 'a minute' : counted(Math.round(seconds / 60), 'minute')
  if (seconds < 86_400) return seconds === 3_600 ? 'an hour' : counted(Math.round(seconds / 3_600), 'hour')
  return seconds === 86_400 ? 'a day' : counted(Math.round(seconds / 86_400), 'day')
}

const quoted = (text: string): string => `"${shortened(text.split('\n')[0] ?? '', 120)}"`
/** Templates with less than this share of the highest weight are not mentioned. */
const weightToMention = 0.2

/** The first failure of the burst, failures that were never seen before it, and the most significant failure. */
const failureSentences = ({ groups, trouble: { first, onset, grade }, earliest }: RulesSummaryInput): string[] => {
  const failures = groups.filter(grade === 'error' ? isErrorGroup : ({ worst }) => worst === 'WARN')
  const began = onset?.isBurst && onset.began > earliest ? onset.began : Number.POSITIVE_INFINITY
  const max = failures.toSorted((a, b) => b.weight - a.weight || timesIn(b) - timesIn(a))[0]
  const [unseen, ...more] = failures.filter(
    ({ firstEver = 0, weight }) => firstEver >= began && weight >= (max?.weight ?? 0) * weightToMention,
  )
  const sentences: string[] = []
  const isSame =
    max?.entries[0].templateId === first?.templateId && max?.entries[0].origin.sourceId === first?.origin.sourceId
  if (first) {
    const how = grade === 'error' ? 'First to fail' : 'First to warn'
    const when = onset?.isBurst ? ' in the burst' : ''
    const often = isSame && max && timesIn(max) > 1 ? `, ${counted(timesIn(max), 'time')} in all` : ''
    sentences.push(`${how}${when} was ${first.origin.sourceId}: ${quoted(first.text)}${often}.`)
  }
  if (unseen)
    sentences.push(
      more.length === 0
        ? `Not seen before the burst: ${quoted(unseen.template)}.`
        : `${more.length + 1} kinds of ${grade}s were not seen before the burst, such as ${quoted(unseen.template)}.`,
    )
  if (max && !isSame && timesIn(max) > 1)
    sentences.push(
      `The most significant is ${quoted(max.template)} from ${max.entries[0].origin.sourceId}, ${counted(timesIn(max), 'time')}.`,
    )
  return sentences
}

const onsetSentences = ({ trouble: { onset, grade, sourceId, isWhole }, zone }: RulesSummaryInput): string[] => {
  if (!onset) return []
  const { began, peak, isBurst } = onset
  const all = grade === 'error' ? 'Errors' : 'Warnings'
  const what = sourceId === undefined ? (isWhole ? all : `Such ${lowered(all)}`) : `${all} of ${sourceId}`
  const worst =
    peak.count > 1
      ? `, with a peak of ${peak.count.toLocaleString('en')} in ${spanInWords(peak.seconds)} from ${shownTime(peak.time, zone)}`
      : ''
  return isBurst
    ? [`${what} came in a burst that began about ${shownTime(began, zone)}${worst}.`]
    : [`${what} have occurred since about ${shownTime(began, zone)}${worst}.`]
}

const linkSentences = ({ linked }: RulesSummaryInput): string[] => {
  const strongest = linked.find(({ share }) => share >= certainShare)
  if (!strongest) return []
  const [{ origin, text }] = strongest.entries
  const seconds = Math.max(0, Math.round(strongest.lead / 1000))
  const when = seconds === 0 ? 'At the same moment' : `${capitalized(spanInWords(seconds))} before`
  return [`${when}, ${origin.sourceId} logged ${quoted(text)}: the failure may follow from it.`]
}

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
const lowered = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`

const orOf = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

/** The number of entries found for the keywords, and what the summary covers if that is something else. */
const foundSentences = ({ keywords, withLogged, window, found, trouble }: RulesSummaryInput): string[] => {
  const { withAny, withAll, errors, scans } = found
  const ofSources = scans.map((scan) => scanInWords(scan, window))
  const words = keywords.map((word) => `"${word}"`)
  if (keywords.length === 0)
    return ofSources.length > 0
      ? ofSources
      : [`${counted(errors, 'error')} ${nounFor(errors, 'was', 'were')} found ${window}.`]
  if (withAny === 0)
    return ofSources.length > 0
      ? ofSources
      : [
          `No entry ${window} has ${orOf(words)}: this summary covers ${errors === 1 ? 'the one error' : `all ${errors} errors`} found instead.`,
        ]
  const or = words.length > 1 ? `one or more of ${words.join(', ')}` : words.join('')
  const like = withLogged ? `, or words that logs use for ${nounFor(words.length, 'it', 'them')},` : ''
  const all =
    words.length > 1
      ? ` ${withAll === 0 ? 'None has' : `${withAll} ${nounFor(withAll, 'has', 'have')}`} all of them.`
      : ''
  const any = `${counted(withAny, 'entry', 'entries')} ${nounFor(withAny, 'has', 'have')} ${or}${like} ${window}.${all}`
  const isElsewhere = ofSources.length === 0 && trouble.isWhole && trouble.first !== undefined
  const none = withAny === 1 ? 'It is not an error or a warning' : 'None of them is an error or a warning'
  const instead = `${none}: beginning and first failure are those of ${errors === 1 ? 'the one error' : `all ${errors} errors`} found.`
  return [any, ...ofSources, ...(isElsewhere ? [instead] : [])]
}

/** A sentence about the branches that are left out. */
export const awayInWords = (away: readonly string[]): string =>
  `${nounFor(away.length, 'The branch', 'The branches')} ${away.join(', ')} ${nounFor(away.length, 'does', 'do')} not answer and ${nounFor(away.length, 'is', 'are')} left out.`

/** The summary without a model: what was found, its severity, its sources, its onset, the first failure, the likely cause, and where to look next. */
export const rulesSummary = (input: RulesSummaryInput): string => {
  const { keywords, window, zone, counts, causes, groups, silences, facts, unknownSource, away } = input
  const leftOut = away.length > 0 ? [awayInWords(away)] : []
  if (unknownSource !== undefined)
    return [
      `There is no source "${unknownSource}", and none whose name begins with it: nothing was found.`,
      ...leftOut,
      'Name one of the listed sources, or none.',
    ].join(' ')
  const searched = keywords.length > 0 ? ` for ${keywords.map((word) => `"${word}"`).join(', ')}` : ''
  const quiet = silences.map(({ sourceId, last }) => `${sourceId} has sent nothing since ${shownTime(last, zone)}.`)
  if (groups.length === 0)
    return [`Nothing was found${searched} ${window}.`, ...leftOut, ...quiet, 'Try other words or another period.'].join(
      ' ',
    )
  const sentences = foundSentences(input)
  const severity = list(counts.bySeverity, 3)
  if (severity !== '') sentences.push(`By severity: ${severity}.`)
  const sources = list(counts.bySource, 3)
  if (sources !== '') sentences.push(`Mostly from ${sources}.`)
  const about = list(counts.byDomain, 3)
  if (about !== '') sentences.push(`By subject: ${about}.`)
  sentences.push(...onsetSentences(input), ...failureSentences(input), ...linkSentences(input), ...quiet, ...leftOut)
  const [first] = causes
  if (first) {
    sentences.push(
      `The most likely cause: ${lowered(first.title)} (${counted(first.evidence.length, 'entry', 'entries')} cited).`,
    )
    if (first.domain) sentences.push(advice[first.domain])
  }
  const known = facts.slice(0, maxFacts).map(({ key, value }) => `${key}: ${shortened(value, 120)}`)
  if (known.length > 0) sentences.push(`Known facts: ${known.join('; ')}.`)
  return sentences.join(' ')
}
