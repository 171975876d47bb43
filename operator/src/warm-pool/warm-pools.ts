import type { Log, Metrics } from '@trellis/kit/telemetry'
import { type WarmPool, warmPools } from '../crds/mod.ts'
import type { Claims } from '../runs/mod.ts'
import {
  type Client,
  type Clock,
  type Controller,
  type Reconcile,
  type Recorder,
  type Store,
  toController,
  toSelf,
} from '../runtime/mod.ts'
import type { Pod, WorkerTemplates } from '../workers/mod.ts'
import { createClaimMetrics } from './claim-metrics.ts'
import { createClaims } from './claims.ts'
import { createDemand } from './demand.ts'
import { createLedger } from './ledger.ts'
import { blueprintOf } from './pool-pod.ts'
import { reconcileWarmPool, restingPools } from './reconcile.ts'
import { createReservations } from './reservations.ts'

export type WarmPoolsOptions = {
  client: Client
  recorder: Recorder
  pools: Store<WarmPool>
  /** Declared with `podCache({ instance, indexes: poolIndexes })`. */
  pods: Store<Pod>
  templates: Pick<WorkerTemplates, 'search' | 'generation'>
  /** Name of the installation. */
  instance: string
  clock: Clock
  log: Log
  metrics: Metrics
}

export type WarmPools = {
  /** Used by the controllers of runs. */
  claims: Claims
  reconcile: Reconcile
  /** Subscribes the pool controller to the changes that affect pools. */
  watch: (controller: Controller) => void
}

/** Creates the pool reconciler and the claims of runs, which share in-memory state. */
export const createWarmPools = (options: WarmPoolsOptions): WarmPools => {
  const { pools, pods, clock, templates, instance, metrics, ...parts } = options
  const reservations = createReservations({ pods, clock })
  const demand = createDemand({ clock })
  const ledger = createLedger({ pods, pools })
  const shared = { ...parts, pods, clock, reservations, demand, ledger }
  const blueprints = {
    search: blueprintOf(templates.search, instance),
    generation: blueprintOf(templates.generation, instance),
  }
  return {
    claims: createClaims({ ...shared, metrics: createClaimMetrics(metrics) }),
    reconcile: reconcileWarmPool({ ...shared, pools, blueprints }),
    watch: (controller) => {
      controller.watch(pools, toSelf)
      controller.watch(pods, toController(warmPools))
      demand.onRequested((demandKey) => {
        for (const key of restingPools(pools, demandKey)) controller.queue.add(key)
      })
    },
  }
}
