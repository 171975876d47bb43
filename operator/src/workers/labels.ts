import { deterministicName } from '../runtime/mod.ts'

/** Keys of labels. */
export const label = {
  name: 'app.kubernetes.io/name',
  partOf: 'app.kubernetes.io/part-of',
  instance: 'app.kubernetes.io/instance',
  managedBy: 'app.kubernetes.io/managed-by',
  component: 'app.kubernetes.io/component',
  /** The run that an object serves. */
  runId: 'trellis.dev/run-id',
  /** The pool of an idle pod; a claimed one has none. */
  pool: 'trellis.dev/pool',
  /** The slot of its pool that a pod was created for. */
  slot: 'trellis.dev/slot',
  /** The workload of a worker: search or generation. */
  workload: 'trellis.dev/workload',
  /** Hash of the template that a pod was created from. */
  templateHash: 'trellis.dev/template-hash',
} as const

/** Keys of annotations. */
export const annotation = {
  /** The uid of the pool that a pod was created for; it remains when the pod is claimed. */
  poolUid: 'trellis.dev/pool-uid',
  /** Number of consecutive failures of its pool's workers before it was created. */
  attempt: 'trellis.dev/attempt',
  /** Number of the claim, counted from 1 within its pool, that took the pod. */
  claim: 'trellis.dev/claim',
  /** Time of the claim, RFC 3339. */
  claimedAt: 'trellis.dev/claimed-at',
  /** Which worker of its run a claimed pod is, counted from 1. */
  runAttempt: 'trellis.dev/run-attempt',
} as const

/** Components that the operator runs in pods. */
export type Component = 'search-worker' | 'generation-worker' | 'branch'

export type Workload = 'search' | 'generation'

/** The component that runs a workload. */
export const componentOf = (workload: Workload): Component => `${workload}-worker`

/** Labels of every object that the operator creates: for selectors, dashboards and network policies. */
export const commonLabels = ({
  instance,
  component,
}: {
  /** Name of the installation. */
  instance: string
  component: Component
}): Record<string, string> => ({
  [label.name]: 'trellis',
  [label.partOf]: 'trellis',
  [label.instance]: instance,
  [label.managedBy]: 'trellis-operator',
  [label.component]: component,
})

const longestLabelValue = 63

/** The name of an object as a label value: unchanged, or a derived one if it is too long. */
export const labelValue = (name: string): string =>
  name.length <= longestLabelValue ? name : deterministicName([name], longestLabelValue)
