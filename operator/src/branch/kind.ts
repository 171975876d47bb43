import type { Bus } from '@trellis/kit/bus'
import { implementation } from '@trellis/kit/rpc'
import type { Log } from '@trellis/kit/telemetry'
import { BranchesServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import type { Client, Clock, Manager, Store } from '../runtime/mod.ts'
import type { Pod, WorkerTemplate } from '../workers/mod.ts'
import { handleBranchEvents } from './branch-events.ts'
import { addBranchController, cacheBranches } from './controller.ts'
import { branchesRpc } from './rpc.ts'

/** What an operator provides to its Branches. */
export type BranchSurroundings = {
  manager: Manager
  /** Not the manager's client: every replica answers calls, also while another leads. */
  client: Client
  bus: Bus
  clock: Clock
  log: Log
  pods: Store<Pod>
  /** Name of the installation. */
  instance: string
  /** Namespace of the Branches that services request. */
  namespace: string
}

export type BranchKindOptions = {
  template: WorkerTemplate
  /** The URL at which senders reach the installation, without a trailing slash. */
  edgeUrl: string
  /** Storage class of new volumes; the cluster's default one unless set. */
  storageClass?: string
  /** Milliseconds between checks of what no watch shows: a Branch's Secret, and whether its pod is rejected; 30 s by default. */
  checkEvery?: number
}

/** The kind Branch, with the rpc through which services request Branches. */
export const branchKind =
  ({ template, storageClass, ...options }: BranchKindOptions) =>
  ({ manager, client, bus, clock, log, pods, instance, namespace }: BranchSurroundings) => {
    const stores = cacheBranches(manager, { instance }, pods)
    const settings = { instance, template, ...(storageClass === undefined ? {} : { storageClass }) }
    addBranchController(manager, { ...stores, clock, log, settings, ...options })
    manager.whileLeading((signal) =>
      handleBranchEvents({ bus, client: manager.client, store: stores.branches }, signal),
    )
    const handlers = branchesRpc({ client, clock, stores, settings, namespace })
    return { handlers, implementation: implementation(BranchesServiceDefinition, handlers) }
  }
