import { serialize } from 'node:v8'
import { isServiceError, serviceError } from '@trellis/kit/errors'
import type { Log } from '@trellis/kit/telemetry'
import type { KeptEntry } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'
import type { StoredEntry } from '../entries/entry.ts'
import type { Severity } from '../entries/severity-code.ts'
import type { SearchRequest, SearchResult } from '../search/search.ts'
import type { TailParameters } from '../tail/frames.ts'
import type { TailBranches, TailShard } from '../tail/merge-tails.ts'
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
  /** How long a search waits for branches; one that has not responded by then is left out. */
  waitMilliseconds: number
  log: Log
}

/** An engine that also queries the branches. It stores entries in the service's own store only. */
export type SharedSearch = {
  engine: LogEngine
  /** Branches to follow in addition to the service's own store. */
  tails: (parameters: TailParameters) => Promise<TailBranches>
  /** Notifies of changes of these branches. */
  onBranches: OnBranches
}

/** The entry of a branch; undefined if it does not exist there. */
const foundOnly = async (response: Promise<KeptEntry>): Promise<StoredEntry | undefined> => {
  try {
    return entryFrom(await response)
  } catch (error) {
    if (isServiceError(error, 'not_found')) return undefined
    throw error
  }
}

type BranchClient = NonNullable<ActiveBranch['client']>

/** How long a branch that timed out is not queried. */
const restMilliseconds = 5_000

/**
 * Searches the service's own entries and those of all active branches as one. Words are counted in all stores before entries are ranked, so
 * scores, order and pages equal those of one store with all entries. A branch that does not respond in time is left out and named.
 */
export const createSharedSearch = ({ own, directory, waitMilliseconds, log }: SharedSearchOptions): SharedSearch => {
  /** By connection, so that a restarted branch is queried at once. */
  const restsUntil = new WeakMap<BranchClient, number>()
  const absences = createBranchAbsences(log)

  const selectedBranches = async (branch: string | undefined): Promise<readonly ActiveBranch[]> => {
    if (branch === noBranch) return []
    const active = await directory.active()
    return branch === undefined ? active : active.filter(({ slug }) => slug === branch)
  }
  /** The responses of the branches that respond in time; the names of the others are added to `missing`. */
  const queryAll = async <Answer>(
    branches: readonly ActiveBranch[],
    missing: Set<string>,
    signal: AbortSignal | undefined,
    query: (client: BranchClient, signal: AbortSignal, slug: string) => Promise<Answer>,
  ): Promise<{ branch: ActiveBranch; answer: Answer }[]> => {
    const answers = await Promise.all(
      branches.map(async (branch) => {
        const { slug, client } = branch
        if (!client) absences.notReady(slug)
        if (!client || performance.now() < (restsUntil.get(client) ?? 0)) return leftOut(slug, missing)
        const begun = performance.now()
        try {
          const answer = await within(waitMilliseconds, signal, (limited) => query(client, limited, slug))
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
    const branches = await selectedBranches(branch)
    if (branches.length === 0) {
      const ownOnly = await own.search(request, signal)
      // A named branch that is not active cannot be searched: the result is incomplete.
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
    const requestFor = (shard: string): SearchRequest => ({
      ...rest,
      filters,
      ...(statistics && { statistics }),
      ...(after && { after: after.shard === undefined ? after : afterIn(shard, { ...after, shard: after.shard }) }),
    })
    const [ownResult, answers] = await Promise.all([
      branch === undefined ? own.search(requestFor(''), signal) : undefined,
      queryAll(others(branches, missing), missing, signal, async (client, limited, slug) =>
        resultFrom(await client.searchBranch(requestTo(requestFor(slug)), { signal: limited, isSafe: true })),
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
      (await selectedBranches(request.filters.branch)).length === 0
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
      queryAll(branches, missing, signal, async (client, limited) =>
        statisticsFrom(await client.countWords({ query: queryTo(query) }, { signal: limited, isSafe: true })),
      ),
    ])
    return addStatistics([ownCount, ...counts.map(({ answer }) => answer)])
  }

  /** In the service's own store and in all branches that respond. */
  const countWords: LogEngine['countWords'] = async (query, signal) =>
    (await countIn(await selectedBranches(undefined), query, new Set(), signal)) ?? own.countWords(query, signal)

  const requireAll = (missing: ReadonlySet<string>, why: string) => {
    if (missing.size === 0) return
    throw serviceError('unavailable', `${why} a branch that does not respond: ${[...missing].join(', ')}.`, {
      retryAfterSeconds: 5,
    })
  }
  /** Deleting again is idempotent: deleted entries are not counted again. */
  const deleteSource = async (sourceId: string, signal?: AbortSignal): Promise<number> => {
    const missing = new Set<string>()
    const branches = await selectedBranches(undefined)
    const [here, answers] = await Promise.all([
      own.deleteSource(sourceId, signal),
      queryAll(branches, missing, signal, (client, limited) =>
        client.deleteBranchSource({ sourceId }, { signal: limited, isSafe: true }),
      ),
    ])
    requireAll(missing, 'Not all entries are deleted; try again. There may be more in')
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
    const answers = await queryAll(await selectedBranches(undefined), missing, signal, (client, limited) =>
      foundOnly(client.setBranchSeverity({ entryId, severity }, { signal: limited, isSafe: true })),
    )
    const inBranch = answers.find(({ answer }) => answer !== undefined)?.answer
    if (!inBranch) requireAll(missing, 'It may be in')
    return inBranch
  }

  const find = async (entryId: string, signal?: AbortSignal): Promise<StoredEntry | undefined> => {
    const found = await own.find(entryId, signal)
    if (found) return found
    const missing = new Set<string>()
    const answers = await queryAll(await selectedBranches(undefined), missing, signal, (client, limited) =>
      foundOnly(client.findEntry({ entryId }, { signal: limited, isSafe: true })),
    )
    const inBranch = answers.find(({ answer }) => answer !== undefined)?.answer
    if (!inBranch) requireAll(missing, 'It may be in')
    return inBranch
  }

  /** The counts of the selected branches. Reports those that do not respond, and a named branch that is not active, to `onMissing`. */
  const countInBranches = async <Answer>(
    branch: string | undefined,
    onMissing: OnMissing | undefined,
    signal: AbortSignal | undefined,
    query: (client: BranchClient, signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer[]> => {
    const branches = await selectedBranches(branch)
    const missing = new Set<string>()
    if (branch !== undefined && branch !== noBranch && branches.length === 0) missing.add(branch)
    const answers = await queryAll(branches, missing, signal, query)
    if (missing.size > 0) onMissing?.([...missing].toSorted())
    return answers.map(({ answer }) => answer)
  }
  const sources: LogEngine['sources'] = async (filters, signal, onMissing) => {
    const { branch, ...rest } = filters
    const [ownSources, answers] = await Promise.all([
      own.sources(filters, signal),
      countInBranches(branch, onMissing, signal, async (client, limited) => {
        const request = { filters: filtersTo(rest) }
        return (await client.countBranchSources(request, { signal: limited, isSafe: true })).sources.map(sourceFrom)
      }),
    ])
    return addSources([...ownSources, ...answers.flat()])
  }

  const templates: LogEngine['templates'] = async (question, signal, onMissing) => {
    const { branch, ...filters } = question.filters
    const branchQuestion = { ...question, filters }
    const [ownTemplates, answers] = await Promise.all([
      own.templates(question, signal),
      countInBranches(branch, onMissing, signal, async (client, limited) => {
        const answer = await client.countBranchTemplates(templateQuestionTo(branchQuestion), {
          signal: limited,
          isSafe: true,
        })
        return answer.templates.map(templateFrom)
      }),
    ])
    return addTemplates([...ownTemplates, ...answers.flat()])
  }

  return {
    engine: { ...own, search, searchSerialized, countWords, find, sources, templates, deleteSource, setSeverity },
    onBranches: createBranchWatch({ directory }),
    tails: async (tailParameters) => {
      const { branch, ...parameters } = tailParameters
      const selected = await selectedBranches(branch || undefined)
      const shards = selected.flatMap(({ slug, client }): TailShard[] => {
        if (!client) return []
        return [
          { name: slug, open: (lastEventId, signal) => client.tailBranch({ ...parameters, lastEventId }, { signal }) },
        ]
      })
      const isInactive = branch && branch !== noBranch && selected.length === 0
      const absent = selected.flatMap(({ slug, client }) => (client ? [] : [slug]))
      return { shards, absent: isInactive ? [branch] : absent }
    },
  }
}
