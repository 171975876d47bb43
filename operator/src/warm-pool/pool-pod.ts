import { type WarmPool, warmPools } from '../crds/mod.ts'
import { type Draft, deterministicName, ownerReference } from '../runtime/mod.ts'
import {
  annotation,
  commonLabels,
  componentOf,
  hashOf,
  label,
  labelValue,
  type Pod,
  podMetadata,
  podSpec,
  type WorkerTemplate,
} from '../workers/mod.ts'

/** What the pods of a workload are made from, with a hash that tells those of an older template. */
export type Blueprint = { template: WorkerTemplate; instance: string; hash: string }

/** A worker that waits is asked whether it is ready: only then it can be claimed. */
const waiting = { isProbed: true } as const

/** A worker that waits is a worker like any other: it learns of its run over the bus. So all pools of a workload share this. */
export const blueprintOf = (given: WorkerTemplate, instance: string): Blueprint => {
  const priorityClassName = given.poolPriorityClassName ?? given.priorityClassName
  const template = { ...given, ...(priorityClassName === undefined ? {} : { priorityClassName }) }
  return {
    template,
    instance,
    hash: hashOf({ spec: podSpec(template, waiting), metadata: podMetadata(template, { labels: {} }) }),
  }
}

/** The name of the pod in a slot: making it twice is making it once. */
export const slotName = (pool: WarmPool, slot: number): string =>
  deterministicName([pool.metadata.name, pool.metadata.uid, String(slot)])

/** The pod for a slot of a pool; `attempt` is how many workers in a row have failed before it. */
export const poolPod = (
  pool: WarmPool,
  { slot, attempt }: { slot: number; attempt: number },
  { template, instance, hash }: Blueprint,
): Draft<Pod> => {
  const { workload } = pool.spec
  const labels = {
    ...commonLabels({ instance, component: componentOf(workload) }),
    [label.workload]: workload,
    [label.pool]: labelValue(pool.metadata.name),
    [label.slot]: String(slot),
    [label.templateHash]: hash,
  }
  const annotations = {
    [annotation.poolUid]: pool.metadata.uid,
    ...(attempt > 0 ? { [annotation.attempt]: String(attempt) } : {}),
  }
  return {
    metadata: {
      name: slotName(pool, slot),
      ...(pool.metadata.namespace ? { namespace: pool.metadata.namespace } : {}),
      ...podMetadata(template, { labels, annotations }),
      ownerReferences: [ownerReference(warmPools, pool)],
    },
    spec: podSpec(template, waiting),
  }
}

/** Selects the idle pods of a pool, for autoscalers and people. */
export const selectorOf = (pool: WarmPool): string =>
  `${label.partOf}=trellis,${label.pool}=${labelValue(pool.metadata.name)}`
