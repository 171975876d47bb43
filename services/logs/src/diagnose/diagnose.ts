import { noteMissing } from '../branches/note-missing.ts'
import type { Context } from '../context/knowledge.ts'
import type { StoredEntry } from '../entries/entry.ts'
import type { Facets } from '../search/facets.ts'
import type { Filters } from '../search/filters.ts'
import type { TimeCounts } from '../search/histogram.ts'
import type { NearCounts } from '../search/near-histogram.ts'
import type { TemplateCounts } from '../templates/count-templates.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { maxEvidence, suspectedCauses, type WeighedGroup, weightOf } from './causes.ts'
import { withCounts } from './count-kinds.ts'
import { type Group, groupRepeats, type KindOf, kindsOf, timesIn } from './groups.ts'
import { keywordsOf } from './keywords.ts'
import { type Layer, type LayerEntries, type Looked, look } from './layers.ts'
import { type LinkedGroup, linkGroups, namesOfSources } from './links.ts'
import { windowInWords } from './shown-time.ts'
import { silentSources } from './silence.ts'
import { facetsOf, histogramOf } from './source-scan.ts'
import type { DiagnoseInput, LeftOut, Step, TemplateCount, Window } from './steps.ts'
import { awayInWords, countsOf, rulesSummary, timelineOf } from './summary.ts'
import { withLoggedWords } from './symptom-words.ts'
import { timePhraseOf } from './time-phrases.ts'
import { writeWithModel } from './write-with-model.ts'

const maxTemplates = 20
/** What counts of that which is far from the question. */
const farShare = 0.1
const nearMilliseconds = 3_600_000
/** What counts of a source that is only suggested, where entries have the words of the question. */
const suggestedShare = 0.5

const windowOf = ({ query, since, until, now, zone }: DiagnoseInput): { window: Window; symptom: string } => {
  const phrase = timePhraseOf(query, now, zone)
  const symptom = phrase?.rest ?? query
  if (since !== undefined || until !== undefined)
    return { window: { start: since ?? null, end: until ?? null, source: 'given' }, symptom }
  if (phrase) return { window: { start: phrase.start, end: phrase.end, source: 'query' }, symptom }
  return { window: { start: null, end: null, source: 'default' }, symptom }
}

/** How near an entry is to the question, by the layer that found it. What merely failed meanwhile counts little once something nearer did. */
const relevanceOf = (looked: Looked): ((entry: StoredEntry) => number) => {
  const { layers, scans, trouble, nearness, suggested } = looked
  const shares: Record<Layer, (entry: StoredEntry) => number> = {
    keywords: nearness.shareOf,
    source: () => (suggested.length > 0 && nearness.hasMatches ? suggestedShare : 1),
    context: () => 0.5,
    window: () => (trouble.isWhole ? 1 : farShare),
  }
  const found = new Map(
    layers.flatMap(({ layer, entries }) => entries.map((entry) => [entry.entryId, shares[layer](entry)])),
  )
  const asked = new Set(scans.map(({ sourceId }) => sourceId))
  const isFar = ({ origin }: StoredEntry) => asked.size > 0 && !asked.has(origin.sourceId)
  return (entry) => Math.min(found.get(entry.entryId) ?? 0, isFar(entry) ? farShare : Number.POSITIVE_INFINITY)
}

/**
 * What of the groups a summary is about: of a source that was named, its own; else what is near, and what failed within the hour of the first
 * trouble. What failed in another month is no cause.
 */
const aboutQuestion = (
  groups: readonly WeighedGroup[],
  { scans, trouble: { isWhole, first } }: Looked,
  relevance: (entry: StoredEntry) => number,
): WeighedGroup[] => {
  if (scans.length > 0) {
    const asked = new Set(scans.map(({ sourceId }) => sourceId))
    return groups.filter(({ entries: [{ origin }] }) => asked.has(origin.sourceId))
  }
  if (isWhole) return [...groups]
  return groups.filter(
    ({ entries }) =>
      entries.some((entry) => relevance(entry) > farShare) ||
      entries.some(({ effectiveTime: time }) => first && Math.abs(time - first.effectiveTime) <= nearMilliseconds),
  )
}

/** What explains the trouble that the question is about: it fails first, elsewhere, and the one names the other or is what it runs on. */
const linkedTo = (
  related: readonly WeighedGroup[],
  { trouble: { first }, preceding, sources }: Looked,
): LinkedGroup[] => {
  const heaviest = Math.max(1, ...related.map(({ weight }) => weight))
  if (!first || preceding.length === 0) return []
  const { text, severity, effectiveTime: time } = first
  const template = related.find(({ entries }) => entries.some(({ entryId }) => entryId === first.entryId))?.template
  const effect = {
    entries: [first] as [StoredEntry],
    template: template ?? text,
    worst: severity,
    first: time,
    last: time,
  }
  const names = namesOfSources(sources.map(({ sourceId }) => sourceId))
  return linkGroups({ ...effect, nearest: 1, weight: heaviest }, preceding, names)
}

const isSameKind = (one: Group, other: Group): boolean =>
  one.template === other.template && one.entries[0].origin.sourceId === other.entries[0].origin.sourceId

/** Groups with those that explain them in their places, the weightiest first. */
const withLinked = (groups: readonly WeighedGroup[], linked: readonly LinkedGroup[]): WeighedGroup[] =>
  [...linked, ...groups.filter((group) => !linked.some((each) => isSameKind(each, group)))].toSorted(
    (a, b) => b.weight - a.weight,
  )

/** What a cause cites is shown, too. */
const withEvidence = (layers: readonly LayerEntries[], linked: readonly LinkedGroup[]): LayerEntries[] => {
  const shown = new Set(layers.flatMap(({ entries }) => entries.map(({ entryId }) => entryId)))
  const missing = linked
    .flatMap(({ entries }) => entries.slice(0, maxEvidence))
    .filter(({ entryId }) => !shown.has(entryId))
  if (missing.length === 0) return [...layers]
  const context = layers.find(({ layer }) => layer === 'context')
  const others = layers.filter((each) => each !== context)
  return [...others, { layer: 'context', entries: [...(context?.entries ?? []), ...missing] }]
}

/** Groups with their weight, the weightiest first: that is what a reader or a model is told first. */
const byImportance = (groups: readonly Group[], relevance: (entry: StoredEntry) => number): WeighedGroup[] =>
  groups
    .map((group) => {
      const nearest = group.entries.reduce((max, entry) => Math.max(max, relevance(entry)), 0)
      return { ...group, nearest, weight: nearest * weightOf(group) }
    })
    .toSorted((a, b) => b.weight - a.weight)

/**
 * Looks into a symptom in layers: its keywords, the recent errors of sources it names, the errors of its window, what came before the first of
 * them, and what its operator has written down. Then rules sum up; a model, where there is one, says it in words. When it fails, the rules'
 * summary stands and the reasoning says why.
 */
export async function* diagnose(
  whole: Pick<LogEngine, 'search' | 'sources' | 'templates'>,
  input: DiagnoseInput,
): AsyncGenerator<Step> {
  const { engine, missing } = noteMissing(whole)
  const { window, symptom } = windowOf(input)
  const keywords = keywordsOf(symptom)
  const filters: Filters = {
    ...(window.start !== null && { since: window.start }),
    ...(window.end !== null && { until: window.end }),
    ...(input.sourceFilter !== undefined && { source: input.sourceFilter }),
  }
  yield { kind: 'asked', window, keywords }
  const said = windowInWords(window.start, window.end, input.zone)
  const looking = look({ engine, symptom, keywords, filters, window: said, now: () => input.now, signal: input.signal })
  let step = await looking.next()
  for (; !step.done; step = await looking.next()) yield { kind: 'status', ...step.value }
  const looked = step.value
  const { byKeyword, withAll, byWindow, named, scans, sources, trouble, layers } = looked
  yield { kind: 'status', stage: 'context', detail: 'Reading what is known of this installation.' }
  const context = await contextOf(input, symptom)
  if (context.isMissing) yield { kind: 'status', stage: 'context', detail: 'That cannot be read just now.' }

  const entries = layers.flatMap((layer) => layer.entries)
  const anyTemplate = [...new Set(entries.flatMap(({ templateId }) => templateId ?? []))]
  const known =
    anyTemplate.length === 0 ? [] : await engine.templates({ filters: { ...filters, anyTemplate } }, input.signal)
  const kindOf = kindsOf(known)
  const relevance = relevanceOf(looked)
  const repeats = byImportance(groupRepeats(entries, kindOf), relevance)
  const groups = byImportance(await withCounts(engine, repeats, { filters, known, signal: input.signal }), relevance)
  const related = aboutQuestion(groups, looked, relevance)
  const linked = linkedTo(related, looked)
  const causes = suspectedCauses(withLinked(related, linked))
  const shown = shownCounts(looked)
  const counts = countsOf(shown.facets)
  const away = missing()
  if (away.length > 0) yield { kind: 'status', stage: 'branches', detail: awayInWords(away) }
  const findings = {
    counts,
    causes,
    context,
    groups: withLinked(groups, linked),
    away,
    timeline: timelineOf(shown.histogram, shown.errors),
    leftOut: leftOutOf(shown.histogram),
    templates: templatesOf(groups, kindOf, known),
    rules: rulesSummary({
      keywords,
      withLogged: withLoggedWords(keywords).length > keywords.length,
      window: said,
      zone: input.zone,
      found: { withAny: byKeyword.total, withAll, errors: byWindow.total, scans },
      away,
      unknownSource: sources.length === 0 ? input.sourceFilter : undefined,
      counts,
      causes,
      groups: related,
      linked,
      trouble,
      facts: context.facts,
      earliest: sources.reduce((earliest, { firstTime }) => Math.min(earliest, firstTime), Number.POSITIVE_INFINITY),
      silences: silentSources(named, sources, window.end ?? input.now),
    }),
  }
  yield { kind: 'summary', text: findings.rules, source: 'rules', counts, partial: input.model !== undefined }
  for (const layer of withEvidence(layers, linked)) yield { kind: 'entries', ...layer }
  if (input.model) yield* writeWithModel(input, input.model, findings)
  else
    yield {
      kind: 'reasoning',
      text: `${input.modelProblem ?? 'No language model is configured.'} The summary follows from rules alone.`,
      ...findings,
    }
}

/** What counts are told of: the sources that were named, else what has the words, else the errors of the window. */
const shownCounts = ({
  scans,
  byKeyword,
  byWindow,
  trouble,
}: Looked): { facets: Facets | null; histogram: NearCounts | null; errors: TimeCounts | null } => {
  if (scans.length === 0) return { ...(byKeyword.total > 0 ? byKeyword : byWindow), errors: trouble.errors }
  const failed = scans.filter(({ grade }) => grade === 'error')
  return { facets: facetsOf(scans), histogram: histogramOf(scans), errors: histogramOf(failed) }
}

const leftOutOf = (histogram: NearCounts | null): LeftOut | null =>
  histogram && { earlier: histogram.earlier, later: histogram.later }

/** A store of its own may be away; entries can be looked into without it. */
const contextOf = async (
  { knowledge, signal }: DiagnoseInput,
  symptom: string,
): Promise<Context & { isMissing: boolean }> => {
  try {
    return { ...(await knowledge.contextFor(symptom, signal)), isMissing: false }
  } catch {
    signal.throwIfAborted()
    return { facts: [], chunks: [], isMissing: true }
  }
}

/** Kinds of entries among those found, as often as they are in all that was looked through; the most important first, as the groups are. */
const templatesOf = (groups: readonly Group[], kindOf: KindOf, known: readonly TemplateCounts[]): TemplateCount[] => {
  const counted = new Map(known.map(({ templateId, count }) => [templateId, count]))
  const templates = new Map<string, TemplateCount>()
  for (const group of groups) {
    const { id, template } = kindOf(group.entries[0])
    const shown = templates.get(id) ?? { templateId: id, template, count: 0 }
    templates.set(id, { ...shown, count: counted.get(id) ?? shown.count + timesIn(group) })
  }
  return [...templates.values()].slice(0, maxTemplates)
}
