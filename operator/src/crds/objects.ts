import type { KubeObject } from '../runtime/objects/object.ts'
import { type Resource, resource } from '../runtime/objects/resource.ts'
import { type apiVersion, group, type Kind, type SpecOf, type StatusOf, version } from './kind.ts'
import { branch } from './kinds/branch.ts'
import { generationJob } from './kinds/generation-job.ts'
import { search } from './kinds/search.ts'
import { warmPool } from './kinds/warm-pool.ts'

/** An object of a kind as the API server returns it, with defaults, also in the status. */
type ObjectOf<K extends Kind> = KubeObject & {
  apiVersion?: typeof apiVersion
  kind?: K['kind']
  spec: SpecOf<K>
  status: StatusOf<K>
}

/** The API resource of a kind. */
const resourceOf = <K extends Kind>({ kind, plural }: K): Resource<ObjectOf<K>> =>
  resource<ObjectOf<K>>({ group, version, plural, kind, namespaced: true })

export type Search = ObjectOf<typeof search>
export const searches = resourceOf(search)

export type Branch = ObjectOf<typeof branch>
export const branches = resourceOf(branch)

export type GenerationJob = ObjectOf<typeof generationJob>
export const generationJobs = resourceOf(generationJob)

export type WarmPool = ObjectOf<typeof warmPool>
export const warmPools = resourceOf(warmPool)
