import type { Filters } from '../search/filters.ts'
import type { Query } from '../search/query.ts'
import { matchesWords } from '../search/query.ts'
import type { FoundEntry } from '../search/search.ts'
import { wordsOf } from '../segments/tokens.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { cosineOf, type TextVector, type TextVectors } from './text-vectors.ts'
import { withoutValues } from './without-values.ts'

/** The most frequent templates are compared with a question, and the closest of them are used. */
const maxCompared = 5_000
const maxNear = 8
const minCosine = 0.3
/** The newest entries of each template. */
const maxOfEach = 3

type Options = {
  engine: Pick<LogEngine, 'search' | 'templates'>
  vectors: Pick<TextVectors, 'known'>
  signal?: AbortSignal | undefined
}

/** Templates have placeholders for variable parts; a model reads neither. */
const textOf = (template: string): string => withoutValues(template.replace(/<[^<>\s]{0,20}>/g, ' '))

/**
 * The newest entries of the templates closest in meaning to a question, whatever their words. Only templates with known vectors are compared; the
 * others are computed in the background for the next search.
 */
export const nearestEntries = async (
  question: TextVector,
  { query, filters }: { query: Query; filters: Filters },
  { engine, vectors, signal }: Options,
): Promise<FoundEntry[]> => {
  const counted = await engine.templates({ filters }, signal)
  const templates = counted
    .filter(({ count, template }) => count > 0 && template !== '')
    .toSorted((a, b) => b.count - a.count || (a.templateId < b.templateId ? -1 : 1))
    .slice(0, maxCompared)
    .map(({ templateId, template }) => ({ templateId, text: textOf(template) }))
  const known = await vectors.known(templates.map(({ text }) => text))
  const near = templates
    .map(({ templateId, text }) => {
      const vector = known.get(text)
      return { templateId, cosine: vector ? cosineOf(question, vector) : 0 }
    })
    .filter(({ cosine }) => cosine >= minCosine)
    .toSorted((a, b) => b.cosine - a.cosine)
    .slice(0, maxNear)
  const excluding = query.excluded.length > 0 ? { clauses: [], excluded: query.excluded } : null
  const found = await Promise.all(
    near.map(({ templateId }) =>
      engine.search(
        {
          query: excluding,
          filters: { ...filters, anyTemplate: [templateId] },
          limit: maxOfEach,
          order: 'time',
          withFacets: false,
        },
        signal,
      ),
    ),
  )
  return found.flatMap(({ entries }) => entries.map((entry) => ({ ...entry, score: 0 })))
}

/** Whether a search by words alone also finds an entry. */
export const hasWords = (query: Query, { entry }: FoundEntry): boolean => matchesWords(query, wordsOf(entry.text))
