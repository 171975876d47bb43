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

/** The template of a workload's pods, with a hash that identifies outdated pods. */
export type Blueprint = { template: WorkerTemplate; instance: string; hash: string }

/** Idle workers have a readiness probe: only ready ones can be claimed. */
const waiting = { isProbed: true } as const

/** Builds the blueprint of idle workers. They learn of their run over the bus, so all pools of a workload share it. */
export const blueprintOf = (base: WorkerTemplate, instance: string): Blueprint => {
  const priorityClassName = base.poolPriorityClassName ?? base.priorityClassName
  const template = { ...base, ...(priorityClassName === undefined ? {} : { priorityClassName }) }
  return {
    template,
    instance,
    hash: hashOf({ spec: podSpec(template, waiting), metadata: podMetadata(template, { labels: {} }) }),
  }
}

/** The deterministic name of the pod in a slot, which makes its creation idempotent. */
export const slotName = (pool: WarmPool, slot: number): string =>
  deterministicName([pool.metadata.name, pool.metadata.uid, String(slot)])

/** Builds the pod for a slot of a pool; `attempt` is the number of consecutive failures before it. */
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

/** Label selector of a pool's idle pods, for autoscalers and people. */
export const selectorOf = (pool: WarmPool): string =>
  `${label.partOf}=trellis,${label.pool}=${labelValue(pool.metadata.name)}`
