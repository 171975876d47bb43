import { serialize } from 'node:v8'
import { isServiceError, serviceError } from '@trellis/kit/errors'
import type { Log } from '@trellis/kit/telemetry'
import type { KeptEntry } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'
import type { StoredEntry } from '../entries/entry.ts'
import type { Severity } from '../entries/severity-code.ts'
import type { SearchRequest, SearchResult } from '../search/search.ts'
import type { TailQuestion } from '../tail/frames.ts'
import type { TailShard } from '../tail/merge-tails.ts'
import { addTemplates } from '../templates/add-templates.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { createBranchAbsences } from './branch-absences.ts'
import { createBranchWatch, type OnBranches } from './branch-watch.ts'
import type { ActiveBranch, BranchDirectory } from './directory.ts'
import { addStatistics, afterIn, mergeResults, type ShardResult } from './merge-results.ts'
import { addSources } from './merge-sources.ts'
import type { OnMissing } from './note-missing.ts'
import { noBranch } from './slug.ts'
import {
  entryFrom,
  filtersTo,
  queryTo,
  requestTo,
  resultFrom,
  sourceFrom,
  statisticsFrom,
  templateFrom,
  templateQuestionTo,
} from './wire.ts'
import { within } from './within.ts'

export type SharedSearchOptions = {
  own: LogEngine
  directory: Pick<BranchDirectory, 'active'>
  /** How long a search waits for branches; one that has not answered by then is left out. */
  waitMilliseconds: number
  log: Log
}

/** An engine whose questions go to the branches, too; what it keeps, it keeps in the service's own. */
export type SharedSearch = {
  engine: LogEngine
  /** Branches to be followed beside the service's own. */
  tails: (question: TailQuestion) => Promise<readonly TailShard[]>
  /** Calls back when these may be others. */
  onBranches: OnBranches
}

/** What a branch has; undefined where it has no such thing. */
const foundOnly = async (asking: Promise<KeptEntry>): Promise<StoredEntry | undefined> => {
  try {
    return entryFrom(await asking)
  } catch (error) {
    if (isServiceError(error, 'not_found')) return undefined
    throw error
  }
}

type BranchClient = NonNullable<ActiveBranch['client']>

/** One that was too slow is not waited for again for so long. */
const restMilliseconds = 5_000

/**
 * Searches the service's own entries and those of all active branches as one. Words are counted in all before they are ranked, so scores, order
 * and pages are those of one store with all entries in it. A branch that does not answer in time is left out and named.
 */
export const createSharedSearch = ({ own, directory, waitMilliseconds, log }: SharedSearchOptions): SharedSearch => {
  /** By connection: a branch that has restarted is asked at once. */
  const restsUntil = new WeakMap<BranchClient, number>()
  const absences = createBranchAbsences(log)

  const wanted = async (branch: string | undefined): Promise<readonly ActiveBranch[]> => {
    if (branch === noBranch) return []
    const active = await directory.active()
    return branch === undefined ? active : active.filter(({ slug }) => slug === branch)
  }
  /** What branches answer in time; the names of those that do not go to `missing`. */
  const askAll = async <Answer>(
    branches: readonly ActiveBranch[],
    missing: Set<string>,
    signal: AbortSignal | undefined,
    ask: (client: BranchClient, signal: AbortSignal, slug: string) => Promise<Answer>,
  ): Promise<{ branch: ActiveBranch; answer: Answer }[]> => {
    const answers = await Promise.all(
      branches.map(async (branch) => {
        const { slug, client } = branch
        if (!client) absences.notReady(slug)
        if (!client || performance.now() < (restsUntil.get(client) ?? 0)) return leftOut(slug, missing)
        const begun = performance.now()
        try {
          const answer = await within(waitMilliseconds, signal, (whole) => ask(client, whole, slug))
          absences.answered(slug)
          return [{ branch, answer }]
        } catch (error) {
          signal?.throwIfAborted()
          if (performance.now() - begun >= waitMilliseconds)
            restsUntil.set(client, performance.now() + restMilliseconds)
          absences.failed(slug, error)
          return leftOut(slug, missing)
        }
      }),
    )
    return answers.flat()
  }
  const leftOut = (slug: string, missing: Set<string>): [] => {
    missing.add(slug)
    return []
  }
  const others = (branches: readonly ActiveBranch[], missing: ReadonlySet<string>) =>
    branches.filter(({ slug }) => !missing.has(slug))

  const search = async (request: SearchRequest, signal?: AbortSignal): Promise<SearchResult> => {
    const { branch, ...filters } = request.filters
    const branches = await wanted(branch)
    if (branches.length === 0) {
      const ownOnly = await own.search(request, signal)
      // A branch that is named and not active is not searched: what is found of it says nothing of what it has.
      return branch === undefined || branch === noBranch
        ? ownOnly
        : { ...ownOnly, totalIsExact: false, missing: [branch] }
    }
    const missing = new Set<string>()
    const isRanked = request.query !== null && request.order === 'relevance'
    const statistics =
      request.statistics ??
      request.after?.statistics ??
      (isRanked ? await countIn(branches, request.query, missing, signal) : undefined)
    const { after, ...rest } = request
    const questionOf = (shard: string): SearchRequest => ({
      ...rest,
      filters,
      ...(statistics && { statistics }),
      ...(after && { after: after.shard === undefined ? after : afterIn(shard, { ...after, shard: after.shard }) }),
    })
    const [ownResult, answers] = await Promise.all([
      branch === undefined ? own.search(questionOf(''), signal) : undefined,
      askAll(others(branches, missing), missing, signal, async (client, whole, slug) =>
        resultFrom(await client.searchBranch(requestTo(questionOf(slug)), { signal: whole, isSafe: true })),
      ),
    ])
    const results: ShardResult[] = [
      ...(ownResult ? [{ shard: '', result: ownResult }] : []),
      ...answers.map(({ branch: { slug }, answer }) => ({ shard: slug, result: answer })),
    ]
    const merged = mergeResults(results, request)
    return {
      ...merged,
      totalIsExact: merged.totalIsExact && missing.size === 0,
      missing: [...missing].toSorted(),
      next: merged.next && { ...merged.next, ...(statistics && { statistics }) },
    }
  }
  const ownSerialized = own.searchSerialized
  const searchSerialized: LogEngine['searchSerialized'] =
    ownSerialized &&
    (async (request, signal) =>
      (await wanted(request.filters.branch)).length === 0
        ? ownSerialized(request, signal)
        : serialize(await search(request, signal)))
  const countIn = async (
    branches: readonly ActiveBranch[],
    query: SearchRequest['query'],
    missing: Set<string>,
    signal: AbortSignal | undefined,
  ) => {
    if (query === null) return undefined
    const [ownCount, counts] = await Promise.all([
      own.countWords(query, signal),
      askAll(branches, missing, signal, async (client, whole) =>
        statisticsFrom(await client.countWords({ query: queryTo(query) }, { signal: whole, isSafe: true })),
      ),
    ])
    return addStatistics([ownCount, ...counts.map(({ answer }) => answer)])
  }

  /** In the service's own and in all branches that answer. */
  const countWords: LogEngine['countWords'] = async (query, signal) =>
    (await countIn(await wanted(undefined), query, new Set(), signal)) ?? own.countWords(query, signal)

  const unlessAway = (missing: ReadonlySet<string>, why: string) => {
    if (missing.size === 0) return
    throw serviceError('unavailable', `${why} a branch that does not answer: ${[...missing].join(', ')}.`, {
      retryAfterSeconds: 5,
    })
  }
  /** Once more does no harm: what is gone is not counted again. */
  const deleteSource = async (sourceId: string, signal?: AbortSignal): Promise<number> => {
    const missing = new Set<string>()
    const [here, answers] = await Promise.all([
      own.deleteSource(sourceId, signal),
      askAll(await wanted(undefined), missing, signal, (client, whole) =>
        client.deleteBranchSource({ sourceId }, { signal: whole, isSafe: true }),
      ),
    ])
    unlessAway(missing, 'Not all is deleted; ask again. There may be entries in')
    return answers.reduce((sum, { answer }) => sum + answer.entries, here)
  }
  const setSeverity = async (
    entryId: string,
    severity: Severity | null,
    signal?: AbortSignal,
  ): Promise<StoredEntry | undefined> => {
    const found = await own.setSeverity(entryId, severity, signal)
    if (found) return found
    const missing = new Set<string>()
    const answers = await askAll(await wanted(undefined), missing, signal, (client, whole) =>
      foundOnly(client.setBranchSeverity({ entryId, severity }, { signal: whole, isSafe: true })),
    )
    const inBranch = answers.find(({ answer }) => answer !== undefined)?.answer
    if (!inBranch) unlessAway(missing, 'It may be in')
    return inBranch
  }

  const find = async (entryId: string, signal?: AbortSignal): Promise<StoredEntry | undefined> => {
    const found = await own.find(entryId, signal)
    if (found) return found
    const missing = new Set<string>()
    const answers = await askAll(await wanted(undefined), missing, signal, (client, whole) =>
      foundOnly(client.findEntry({ entryId }, { signal: whole, isSafe: true })),
    )
    const inBranch = answers.find(({ answer }) => answer !== undefined)?.answer
    if (!inBranch) unlessAway(missing, 'It may be in')
    return inBranch
  }

  /** What the branches count that are asked about; names those that do not answer, and the one that is named and not active. */
  const countAlong = async <Answer>(
    branch: string | undefined,
    onMissing: OnMissing | undefined,
    signal: AbortSignal | undefined,
    ask: (client: BranchClient, signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer[]> => {
    const branches = await wanted(branch)
    const missing = new Set<string>()
    if (branch !== undefined && branch !== noBranch && branches.length === 0) missing.add(branch)
    const answers = await askAll(branches, missing, signal, ask)
    if (missing.size > 0) onMissing?.([...missing].toSorted())
    return answers.map(({ answer }) => answer)
  }
  const sources: LogEngine['sources'] = async (filters, signal, onMissing) => {
    const { branch, ...rest } = filters
    const [ownSources, answers] = await Promise.all([
      own.sources(filters, signal),
      countAlong(branch, onMissing, signal, async (client, whole) => {
        const request = { filters: filtersTo(rest) }
        return (await client.countBranchSources(request, { signal: whole, isSafe: true })).sources.map(sourceFrom)
      }),
    ])
    return addSources([...ownSources, ...answers.flat()])
  }

  const templates: LogEngine['templates'] = async (question, signal, onMissing) => {
    const { branch, ...filters } = question.filters
    const asked = { ...question, filters }
    const [ownTemplates, answers] = await Promise.all([
      own.templates(question, signal),
      countAlong(branch, onMissing, signal, async (client, whole) => {
        const answer = await client.countBranchTemplates(templateQuestionTo(asked), { signal: whole, isSafe: true })
        return answer.templates.map(templateFrom)
      }),
    ])
    return addTemplates([...ownTemplates, ...answers.flat()])
  }

  return {
    engine: { ...own, search, searchSerialized, countWords, find, sources, templates, deleteSource, setSeverity },
    onBranches: createBranchWatch({ directory }),
    tails: async (question) => {
      const { q, source, severity, domain, pattern, tenant } = question as Partial<Record<string, string | null>>
      const followed = await wanted(question.branch || undefined)
      return followed.flatMap(({ slug, client }): TailShard[] => {
        if (!client) return []
        const parameters = { q, source, severity, domain, pattern, tenant }
        return [
          { name: slug, open: (lastEventId, signal) => client.tailBranch({ ...parameters, lastEventId }, { signal }) },
        ]
      })
    },
  }
}
