import type { RunRequest, SearchSubject } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Search, SearchSpec, SearchSpecInput } from '../crds/mod.ts'
import { type Draft, deterministicName } from '../runtime/mod.ts'
import { label } from '../workers/mod.ts'

/** The name of the Search for a run that a service requests; deterministic, so repeated requests create it once. */
export const searchNameOf = (runId: string): string => deterministicName(['search', runId])

const modes: readonly NonNullable<SearchSpec['filters']>['mustIncludeMode'][] = ['all', 'any', 'groups']
const adapters: readonly SearchSpec['adapter'][] = ['auto', 'api', 'scraper']

/** Returns the value if it is a known one; services of another version may send others. */
const known = <Word extends string>(words: readonly Word[], word: string): Word | undefined =>
  words.find((candidate) => candidate === word)

const filtersOf = (subject: SearchSubject) => {
  const mode = known(modes, subject.mustIncludeMode)
  return {
    ...(subject.mustInclude.length > 0 ? { mustInclude: subject.mustInclude } : {}),
    ...(mode ? { mustIncludeMode: mode } : {}),
    ...(subject.mustExclude.length > 0 ? { mustExclude: subject.mustExclude } : {}),
    ...(typeof subject.minPrice === 'number' ? { minPrice: subject.minPrice } : {}),
    ...(typeof subject.maxPrice === 'number' ? { maxPrice: subject.maxPrice } : {}),
    ...(subject.categoryId ? { categoryId: subject.categoryId } : {}),
  }
}

const specOf = (request: RunRequest, subject: SearchSubject, ttlSecondsAfterFinished: number): SearchSpecInput => {
  const adapter = known(adapters, subject.adapter)
  return {
    query: subject.query,
    filters: filtersOf(subject),
    ...(adapter ? { adapter } : {}),
    ...(subject.pages > 0 ? { pages: subject.pages } : {}),
    ...(request.user ? { user: request.user } : {}),
    ...(request.activeDeadlineSeconds > 0 ? { activeDeadlineSeconds: request.activeDeadlineSeconds } : {}),
    ttlSecondsAfterFinished,
  }
}

/** Builds the Search for a run that a service requests. */
export const searchFor = (
  request: RunRequest,
  subject: SearchSubject,
  { namespace, ttlSeconds }: { namespace: string; ttlSeconds: number },
): Draft<Search> => ({
  metadata: { name: searchNameOf(request.runId), namespace, labels: { [label.runId]: request.runId } },
  // The API server fills in the defaults.
  spec: specOf(request, subject, ttlSeconds) as SearchSpec,
})
