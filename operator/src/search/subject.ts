import type { PlanRequest, SearchSubject } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Search } from '../crds/mod.ts'

/** The subject of a Search as services represent it. */
export const subjectOf = ({ spec }: Search): SearchSubject => ({
  query: spec.query,
  mustInclude: [...(spec.filters?.mustInclude ?? [])],
  mustIncludeMode: spec.filters?.mustIncludeMode ?? 'all',
  mustExclude: [...(spec.filters?.mustExclude ?? [])],
  minPrice: spec.filters?.minPrice ?? null,
  maxPrice: spec.filters?.maxPrice ?? null,
  categoryId: spec.filters?.categoryId ?? null,
  adapter: spec.adapter,
  pages: spec.pages,
})

/** The plan request to the listings service for a Search that it did not request. */
export const planRequestOf = (search: Search, runId: string): PlanRequest => ({
  runId,
  user: search.spec.user ?? '',
  activeDeadlineSeconds: search.spec.activeDeadlineSeconds,
  search: subjectOf(search),
  generation: null,
})
