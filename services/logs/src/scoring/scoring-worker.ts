import { deserialize } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import { collectGarbage, collectOnce } from '@trellis/kit/memory'
import { type UserFormatSet, useFormats } from '../formats/active-formats.ts'
import type { SearchResult } from '../search/search.ts'
import { createCalls, type Port } from '../threads/calls.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { lowerPriority } from '../threads/lower-priority.ts'
import { type Finding, type Scorer, shownByStorable, type WholeFinding } from './finding.ts'
import { createAnomalyScoring } from './score-anomalies.ts'
import { createSecurityScoring } from './score-security.ts'
import type { ScoreWhole } from './scorer.ts'
import type { ScoringHostCalls } from './scoring-calls.ts'
import type { SourceRange } from './source-range.ts'

/** The thread that scores entries. */
if (!parentPort) throw new Error('This module is the start of a thread.')
const parent = parentPort
const port: Port = {
  send: (message, transfer) => parent.postMessage(message, transfer),
  receive: (listener) => void parent.on('message', listener),
}
lowerPriority()

/**
 * Each search returns up to two thousand entries, few of which are retained. V8 would let their garbage grow to several times the live heap, and
 * would not collect it until there is more to score.
 */
const searchesPerCollection = 25
let searches = 0

/** Never aborts: when a run is cancelled, the host makes the next call of this thread fail. */
const { signal } = new AbortController()

const engineFor = (scorer: Scorer): Pick<LogEngine, 'search' | 'templates'> => ({
  search: async (request) => {
    searches += 1
    if (searches % searchesPerCollection === 0) collectOnce()
    return deserialize(await host.call('search', [scorer, request])) as SearchResult
  },
  templates: (question) => host.call('templates', [scorer, question]),
})

/** Created once, because they cache when they examined which source. */
const scorings: Readonly<Record<Scorer, ScoreWhole>> = {
  anomaly: createAnomalyScoring(engineFor('anomaly')),
  cybersec: createSecurityScoring(engineFor('cybersec')),
}

/** Reduces entries that only carry a score to their ids: there may be a hundred thousand. */
const withoutTexts = (found: WholeFinding): Finding => {
  const { also, ...finding } = shownByStorable(found)
  return { ...finding, also: also.map(({ entryId, origin, effectiveTime }) => ({ entryId, origin, effectiveTime })) }
}

const host = createCalls<ScoringHostCalls>(port, {
  score: async (scorer: Scorer, range: SourceRange, userFormats: UserFormatSet) => {
    useFormats(userFormats)
    const { findings, entries } = await scorings[scorer](range, signal)
    const found = findings.map(withoutTexts)
    if (searches > 0) collectGarbage()
    searches = 0
    return { findings: found, entries }
  },
  rest: (processGoesOn: boolean) => {
    if (processGoesOn) collectGarbage()
  },
})
