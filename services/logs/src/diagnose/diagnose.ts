import { recordMissing } from '../branches/note-missing.ts'
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
import { type Layer, type LayerEntries, type LayerResults, searchLayers } from './layers.ts'
import { type LinkedGroup, linkGroups, namesOfSources } from './links.ts'
import { windowInWords } from './shown-time.ts'
import { silentSources } from './silence.ts'
import { facetsOf, histogramOf } from './source-scan.ts'
import type { DiagnoseInput, LeftOut, Step, TemplateCount, Window } from './steps.ts'
import { awayInWords, countsOf, rulesSummary, timelineOf } from './summary.ts'
import { withLoggedWords } from './symptom-words.ts'
import { timePhraseOf } from './time-phrases.ts'
import { usualTemplates } from './usual-templates.ts'
import { writeWithModel } from './write-with-model.ts'

const maxTemplates = 20
/** Share of the relevance that remains for entries that are far from the question. */
const farShare = 0.1
const nearMilliseconds = 3_600_000
/** Share of the relevance for entries of a merely suggested source, if others contain words of the question. */
const suggestedShare = 0.5
/** Share of the relevance for failures without words of the question that are as frequent before the window. */
const usualShare = 0.25

const windowOf = ({ query, since, until, now, zone }: DiagnoseInput): { window: Window; symptom: string } => {
  const phrase = timePhraseOf(query, now, zone)
  const symptom = phrase?.rest ?? query
  if (since !== undefined || until !== undefined)
    return { window: { start: since ?? null, end: until ?? null, source: 'given' }, symptom } // words: allowed
  if (phrase) return { window: { start: phrase.start, end: phrase.end, source: 'query' }, symptom }
  return { window: { start: null, end: null, source: 'default' }, symptom }
}

/**
 * The relevance of an entry to the question, by the layer that found it. Once a closer failure was found, other failures of the window count little,
 * and so do those of the templates that are `usual`.
 */
const relevanceOf = (results: LayerResults, usual: ReadonlySet<string>): ((entry: StoredEntry) => number) => {
  const { layers, scans, trouble, nearness, suggested } = results
  const shares: Record<Layer, (entry: StoredEntry) => number> = {
    keywords: nearness.shareOf,
    source: () => (suggested.length > 0 && nearness.hasMatches ? suggestedShare : 1),
    context: () => 0.5,
    window: () => (trouble.isWhole ? 1 : farShare),
  }
  const found = new Map(
    layers.flatMap(({ layer, entries }) => entries.map((entry) => [entry.entryId, shares[layer](entry)])),
  )
  const scanned = new Set(scans.map(({ sourceId }) => sourceId))
  const isFar = ({ origin }: StoredEntry) => scanned.size > 0 && !scanned.has(origin.sourceId)
  const isUsual = (entry: StoredEntry) =>
    entry.templateId !== null && usual.has(entry.templateId) && !nearness.isMatch(entry)
  return (entry) =>
    Math.min(found.get(entry.entryId) ?? 0, isFar(entry) ? farShare : Number.POSITIVE_INFINITY) *
    (isUsual(entry) ? usualShare : 1)
}

/**
 * The groups that a summary covers: if the question names sources, theirs; otherwise the relevant ones, and failures within an hour of the first
 * trouble. Failures of another month are not causes.
 */
const aboutQuestion = (
  groups: readonly WeighedGroup[],
  { scans, trouble: { isWhole, first } }: LayerResults,
  relevance: (entry: StoredEntry) => number,
): WeighedGroup[] => {
  if (scans.length > 0) {
    const scanned = new Set(scans.map(({ sourceId }) => sourceId))
    return groups.filter(({ entries: [{ origin }] }) => scanned.has(origin.sourceId))
  }
  if (isWhole) return [...groups]
  return groups.filter(
    ({ entries }) =>
      entries.some((entry) => relevance(entry) > farShare) ||
      entries.some(({ effectiveTime: time }) => first && Math.abs(time - first.effectiveTime) <= nearMilliseconds),
  )
}

/** The groups that explain the trouble: they fail first, and one names the other or is a resource that it runs on. */
const linkedTo = (
  related: readonly WeighedGroup[],
  { trouble: { first }, preceding, sources }: LayerResults,
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

/** Replaces groups by their linked versions and adds the missing ones, the highest weight first. */
const withLinked = (groups: readonly WeighedGroup[], linked: readonly LinkedGroup[]): WeighedGroup[] =>
  [...linked, ...groups.filter((group) => !linked.some((each) => isSameKind(each, group)))].toSorted(
    (a, b) => b.weight - a.weight,
  )

/** Adds entries that a cause cites and no layer contains to the context layer. */
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

/** Groups with their weight, the highest first: readers and models see them in this order. */
const byImportance = (groups: readonly Group[], relevance: (entry: StoredEntry) => number): WeighedGroup[] =>
  groups
    .map((group) => {
      const nearest = group.entries.reduce((max, entry) => Math.max(max, relevance(entry)), 0)
      return { ...group, nearest, weight: nearest * weightOf(group) }
    })
    .toSorted((a, b) => b.weight - a.weight)

/**
 * Investigates a symptom in layers: its keywords, the recent errors of sources that it names, the errors of its window, the entries before the first
 * of them, and the operator's notes. Then rules write a summary; if a model is configured, it writes another from it. If the model fails, the
 * rules' summary remains, and the reasoning contains the cause.
 */
export async function* diagnose(
  whole: Pick<LogEngine, 'search' | 'sources' | 'templates'>,
  input: DiagnoseInput,
): AsyncGenerator<Step> {
  const { engine, missing } = recordMissing(whole)
  const { window, symptom } = windowOf(input)
  const keywords = keywordsOf(symptom)
  const filters: Filters = {
    ...(window.start !== null && { since: window.start }),
    ...(window.end !== null && { until: window.end }),
    ...(input.sourceFilter !== undefined && { source: input.sourceFilter }),
  }
  yield { kind: 'question', window, keywords }
  const inWords = windowInWords(window.start, window.end, input.zone)
  const searching = searchLayers({
    engine,
    symptom,
    keywords,
    filters,
    window: inWords,
    now: () => input.now,
    signal: input.signal,
  })
  let step = await searching.next()
  for (; !step.done; step = await searching.next()) yield { kind: 'status', ...step.value }
  const results = step.value
  const { byKeyword, withAll, byWindow, named, scans, sources, trouble, layers } = results
  yield { kind: 'status', stage: 'context', detail: 'Reading notes about this installation.' }
  const context = await contextOf(input, symptom)
  if (context.isMissing) yield { kind: 'status', stage: 'context', detail: 'The notes cannot be read at the moment.' }

  const entries = layers.flatMap((layer) => layer.entries)
  const anyTemplate = [...new Set(entries.flatMap(({ templateId }) => templateId ?? []))]
  const known =
    anyTemplate.length === 0 ? [] : await engine.templates({ filters: { ...filters, anyTemplate } }, input.signal)
  const kindOf = kindsOf(known)
  const before = await usualTemplates(engine, known, { filters, window, now: input.now, signal: input.signal })
  const usual = before.union(results.usual)
  const relevance = relevanceOf(results, usual)
  const repeats = byImportance(groupRepeats(entries, kindOf), relevance)
  const groups = byImportance(await withCounts(engine, repeats, { filters, known, signal: input.signal }), relevance)
  const related = aboutQuestion(groups, results, relevance)
  const linked = linkedTo(related, results)
  const causes = suspectedCauses(withLinked(related, linked))
  const shown = shownCounts(results)
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
      window: inWords,
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
  const shownLayers = withEvidence(layers, linked)
  // Each stream has a frame of entries, even if nothing was found.
  if (shownLayers.length === 0) yield { kind: 'entries', layer: 'keywords', entries: [] }
  for (const layer of shownLayers) yield { kind: 'entries', ...layer }
  if (input.model) yield* writeWithModel(input, input.model, findings)
  else
    yield {
      kind: 'reasoning',
      text: `${input.modelProblem ?? 'No language model is configured.'} The summary follows from rules alone.`,
      ...findings,
    }
}

/** The counts to show: of the named sources, otherwise of entries with keywords, otherwise of the window's errors. */
const shownCounts = ({
  scans,
  byKeyword,
  byWindow,
  trouble,
}: LayerResults): { facets: Facets | null; histogram: NearCounts | null; errors: TimeCounts | null } => {
  // The whole trouble excludes usual errors, which the timeline counts.
  const errors = trouble.isWhole ? byWindow.histogram : trouble.errors
  if (scans.length === 0) return { ...(byKeyword.total > 0 ? byKeyword : byWindow), errors }
  const failed = scans.filter(({ grade }) => grade === 'error')
  return { facets: facetsOf(scans), histogram: histogramOf(scans), errors: histogramOf(failed) }
}

const leftOutOf = (histogram: NearCounts | null): LeftOut | null =>
  histogram && { earlier: histogram.earlier, later: histogram.later }

/** Reads the operator's notes. Their store may be unavailable, which does not prevent the diagnosis. */
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

/** The templates of the entries found, with their counts in everything that was searched, in the order of the groups. */
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
