import {
  type GenerationJob,
  type GenerationJobSpec,
  generationJobs,
  type Search,
  searches,
  type WarmPool,
  warmPools,
} from '../../../src/crds/mod.ts'
import { generationNameOf } from '../../../src/generation-job/subject.ts'
import type { RunObject } from '../../../src/runs/mod.ts'
import { isFinished } from '../../../src/runs/mod.ts'
import type { Draft, Resource } from '../../../src/runtime/mod.ts'
import { searchNameOf } from '../../../src/search/search-object.ts'
import type { Simulation } from '../mod.ts'
import type { Service } from './service.ts'
import { gpuModel } from './simulated-gpus.ts'

export const namespace = 'default'
export const poolNames = { search: 'searches', generation: 'generations' } as const

/** A requested run: its object, and for requests through a service the service and the run id. */
export type Requested = { resource: Resource; name: string; run?: string; by?: Service }

/** Simulates the people and programs that use a cluster. */
export type User = {
  makePools: (replicas: number) => void
  /** Applies an object. */
  apply: (workload: 'search' | 'generation') => void
  /** Requests a run from a service. */
  request: (workload: 'search' | 'generation') => void
  /** Randomly compacts the history, scales a pool, and deletes, cancels or suspends and resumes a run. */
  interfere: () => void
  requested: readonly Requested[]
  /** Names of the objects that were deleted. */
  deleted: ReadonlySet<string>
  /** Names of deleted objects that must not be created again. */
  mustStayAway: ReadonlySet<string>
}

export const createUser = (simulation: Simulation, services: { search: Service; generation: Service }): User => {
  const { storage, random, clock } = simulation
  const requested: Requested[] = []
  const deleted = new Set<string>()
  const mustStayAway = new Set<string>()

  const limits = () => ({
    ttlSecondsAfterFinished: Math.round(random.between(0, 60)),
    activeDeadlineSeconds: Math.round(random.between(60, 300)),
  })

  const resources = (): Pick<GenerationJobSpec, 'resources'> => {
    if (random.chance(0.15)) return { resources: { gpu: 1 } }
    if (random.chance(0.1)) return { resources: { class: random.chance(0.5) ? gpuModel : 'Unknown-1' } }
    if (random.chance(0.05)) return { resources: { gpuRequired: true } }
    return random.chance(0.1) ? { resources: { cpu: '2' } } : {}
  }

  const make = {
    search: (name: string) => {
      const spec = { query: 'lamp', ...limits() }
      storage.create(searches, { metadata: { namespace, name }, spec } as Draft<Search>)
      return { resource: searches, name }
    },
    generation: (name: string) => {
      const labels = random.chance(0.15) ? { 'kueue.x-k8s.io/queue-name': 'music' } : {}
      const backoffLimit = Math.floor(random.between(0, 3))
      const spec = { chainId: 'chain', nodeId: 'node', backoffLimit, ...limits(), ...resources() }
      storage.create(generationJobs, { metadata: { namespace, name, labels }, spec } as Draft<GenerationJob>)
      return { resource: generationJobs, name }
    },
  }

  const find = ({ resource, name }: Requested): RunObject | undefined =>
    storage.list(resource as Resource<RunObject>).find(({ metadata }) => metadata.name === name)

  const remove = (one: Requested) => {
    storage.delete(one.resource, { namespace, name: one.name })
    deleted.add(one.name)
    if (one.run !== undefined && one.by?.knows(one.run)) mustStayAway.add(one.name)
  }

  const suspendFor = (one: Requested, milliseconds: number) => {
    const suspend = (value: boolean) => {
      const object = find(one)
      if (object) storage.patch(one.resource, object.metadata, { type: 'merge', body: { spec: { suspend: value } } })
    }
    suspend(true)
    clock.after(milliseconds, () => suspend(false))
  }

  const scale = () => {
    const name = random.chance(0.5) ? poolNames.search : poolNames.generation
    const replicas = Math.floor(random.between(0, 5))
    storage.patch(warmPools, { namespace, name }, { type: 'merge', body: { spec: { replicas } } })
  }

  return {
    makePools: (replicas) => {
      for (const [workload, name] of Object.entries(poolNames)) {
        const spec = { workload, replicas, maxReplicas: 50, idleSeconds: 0 }
        storage.create(warmPools, { metadata: { namespace, name }, spec } as Draft<WarmPool>)
      }
    },
    apply: (workload) => void requested.push(make[workload](`${workload}-${requested.length + 1}`)),
    request: (workload) => {
      const run = `run-${requested.length + 1}`
      const by = services[workload]
      const kind =
        workload === 'search'
          ? { resource: searches, name: searchNameOf(run) }
          : { resource: generationJobs, name: generationNameOf(run) }
      requested.push({ ...kind, run, by })
      by.request(run)
      // Independent drivers may request the same run.
      if (random.chance(0.5)) by.request(run)
      if (random.chance(0.3)) clock.after(random.between(0, 10_000), () => by.request(run))
    },
    interfere: () => {
      if (random.chance(0.2)) storage.compact()
      if (random.chance(0.3)) scale()
      const one = requested[Math.floor(random() * requested.length)]
      const object = one && find(one)
      if (!object) return
      const what = random()
      if (what < 0.15) remove(one)
      else if (what < 0.3 && one.run !== undefined) one.by?.cancel(one.run)
      else if (what < 0.45 && one.resource.plural === searches.plural && !isFinished(object))
        suspendFor(one, random.between(100, 30_000))
    },
    requested,
    deleted,
    mustStayAway,
  }
}
