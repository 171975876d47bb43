import { ModelUnusable } from '../models/model-files.ts'
import type { TextVectors } from '../semantic/text-vectors.ts'
import { withoutValues } from '../semantic/without-values.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { type Finding, type Scorer, shownByStorable } from './finding.ts'
import { readEntries } from './read-entries.ts'
import type { ScoreRange } from './scorer.ts'

export type ClassifierOptions = {
  scorer: Scorer
  engine: Pick<LogEngine, 'search' | 'templates'>
  vectors: Pick<TextVectors, 'of' | 'load'>
  /** The probability from which a label is a finding. */
  threshold: number
}

/** Labels with which models mark harmless messages. Numbered labels such as LABEL_0 count as harmless only if the number is 0. */
const harmlessWords =
  /^(?:label_0|0|normal|benign|ok|okay|info|information|informational|debug|none|no|negative|safe|clean|legit(?:imate)?|ham|not[ _-].*|non[ _-].*|no[ _-].*|other|unknown)$/i

export const isHarmless = (label: string): boolean => harmlessWords.test(label.trim())

/** Templates classified per pass, the most frequent first; the others are classified in later passes. */
const maxTemplates = 5_000
const maxScored = 100

/** Classifies the templates of a source with a user's model, and reports those whose probability reaches the threshold. */
export const createClassifierScoring =
  ({ scorer, engine, vectors, threshold }: ClassifierOptions): ScoreRange =>
  async ({ sourceId, since, until }, signal) => {
    const filters = { source: sourceId, since, until }
    const counted = await engine.templates({ filters }, signal)
    const templates = counted
      .filter(({ count, template }) => count > 0 && template !== '')
      .toSorted((a, b) => b.count - a.count)
      .slice(0, maxTemplates)
    const { labels } = await vectors.load()
    const probabilities = await vectors.of(templates.map(({ template }) => withoutValues(template)))
    const findings: Finding[] = []
    for (const [index, { templateId, template, count }] of templates.entries()) {
      const best = bestOf(probabilities[index] ?? new Float16Array(), labels)
      if (!best || best.score < threshold) continue
      const read = readEntries(engine, {
        query: null,
        filters: { ...filters, anyTemplate: [templateId] },
        limit: maxScored,
        signal,
      })
      const entries = await Array.fromAsync(read)
      const [entry, ...also] = entries
      if (!entry) continue
      const reason = `The model labels this kind of message "${best.label}" with a probability of ${Math.round(best.score * 100)} %.`
      const shown = { subject: template, reason, entry, also, count }
      findings.push(shownByStorable({ scorer, ...best, severity: entry.severity, ...shown }))
    }
    return { findings, entries: 0 }
  }

/** The most probable label, or undefined if that label is harmless. */
const bestOf = (
  probabilities: Float16Array,
  labels: readonly string[],
): { label: string; score: number } | undefined => {
  const index = probabilities.indexOf(Math.max(...probabilities))
  const label = labels[index]
  return label === undefined || isHarmless(label) ? undefined : { label, score: probabilities[index] ?? 0 }
}

/** Combines the findings of the built-in scorer with those of a model. If the model cannot be used, the built-in findings remain. */
export const withClassifier =
  (own: ScoreRange, classifier: ScoreRange | undefined): ScoreRange =>
  async (range, signal) => {
    const scored = await own(range, signal)
    if (!classifier) return scored
    try {
      const added = await classifier(range, signal)
      return { ...scored, findings: [...scored.findings, ...added.findings] }
    } catch (error) {
      // The error was logged when the model was loaded, and the status of the scorer shows it.
      if (error instanceof ModelUnusable) return scored
      throw error
    }
  }
