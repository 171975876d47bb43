import { deterministicName } from '../runtime/mod.ts'

/** Keys of labels, by what they say. */
export const label = {
  name: 'app.kubernetes.io/name',
  partOf: 'app.kubernetes.io/part-of',
  instance: 'app.kubernetes.io/instance',
  managedBy: 'app.kubernetes.io/managed-by',
  component: 'app.kubernetes.io/component',
  /** The run that an object is for. */
  runId: 'trellis.dev/run-id',
  /** The pool that an idle pod waits in; a claimed one has none. */
  pool: 'trellis.dev/pool',
  /** The place that a pod was made for in its pool. */
  slot: 'trellis.dev/slot',
  /** What a worker can do: search or generation. */
  workload: 'trellis.dev/workload',
  /** Which template a pod was made from. */
  templateHash: 'trellis.dev/template-hash',
} as const

/** Keys of annotations, by what they say. */
export const annotation = {
  /** The uid of the pool that a pod was made for; it stays when the pod is claimed. */
  poolUid: 'trellis.dev/pool-uid',
  /** How often in a row a worker of its pool had failed before it was made. */
  attempt: 'trellis.dev/attempt',
  /** Which claim of its pool, counted from 1, took the pod. */
  claim: 'trellis.dev/claim',
  /** When it was claimed, RFC 3339. */
  claimedAt: 'trellis.dev/claimed-at',
  /** Which worker of its run a claimed pod is, counted from 1. */
  runAttempt: 'trellis.dev/run-attempt',
} as const

/** What the operator runs in pods. */
export type Component = 'search-worker' | 'generation-worker' | 'branch'

export type Workload = 'search' | 'generation'

/** The component that does the runs of a workload. */
export const componentOf = (workload: Workload): Component => `${workload}-worker`

/** The labels of everything that the operator makes: for selectors, dashboards and network policies. */
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

/** The name of an object as the value of a label: itself, or, as names may be longer than values, what stands for it. */
export const labelValue = (name: string): string =>
  name.length <= longestLabelValue ? name : deterministicName([name], longestLabelValue)
