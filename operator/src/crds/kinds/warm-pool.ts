import { defineKind, type SpecInputOf, type SpecOf, type StatusInputOf, type StatusOf } from '../kind.ts'
import { choice, defaulted, immutable, integer, object, required, text } from '../schema.ts'
import { commonStatus, notObserved } from '../status.ts'

export const warmPool = defineKind({
  kind: 'WarmPool',
  plural: 'warmpools',
  shortName: 'pool',
  description:
    'WarmPool maintains idle workers, so that a Search or a GenerationJob starts at once instead of waiting for a pod. A claimed worker leaves the pool and is replaced.',
  spec: object(
    'spec is the desired workload and number of idle workers.',
    {
      workload: required(
        immutable(
          'its workers serve only this workload; create another WarmPool instead',
          choice('workload is the kind of runs that the workers serve: search or generation. It cannot be changed.', [
            'search',
            'generation',
          ]),
        ),
      ),
      replicas: required(
        integer(
          'replicas is the desired number of idle workers, 0 to maxReplicas; claimed ones are not counted. "kubectl scale" and autoscalers set it.',
          { minimum: 0 },
        ),
      ),
      maxReplicas: defaulted(
        50,
        integer('maxReplicas is the maximum of replicas when the pool is scaled, 1 to 200.', {
          minimum: 1,
          maximum: 200,
        }),
      ),
      idleSeconds: defaulted(
        0,
        integer(
          'idleSeconds is the number of seconds without a claim after which the pool rests without workers until the next run, 0 to 86400; 0 disables resting.',
          { minimum: 0, maximum: 86_400 },
        ),
      ),
    },
    [
      {
        rule: 'self.replicas <= self.maxReplicas',
        message: 'replicas must not be above maxReplicas (default 50): raise maxReplicas first',
        fieldPath: '.replicas',
        reason: 'FieldValueForbidden',
      },
    ],
  ),
  status: defaulted(
    notObserved,
    object('status is the observed state of the WarmPool; the operator writes it.', {
      ...commonStatus,
      replicas: integer('replicas is how many idle workers the pool has, ready or not.', { minimum: 0 }),
      readyReplicas: integer('readyReplicas is how many idle workers can be claimed now.', { minimum: 0 }),
      claimed: integer('claimed is how many workers have been claimed so far.', { minimum: 0, format: 'int64' }),
      selector: text('selector is the label selector of the idle workers, for autoscalers.', { maxLength: 1024 }),
    }),
  ),
  columns: [
    {
      name: 'Workload',
      type: 'string',
      path: '.spec.workload',
      description: 'The kind of runs that the workers serve.',
    },
    { name: 'Desired', type: 'integer', path: '.spec.replicas', description: 'Desired number of idle workers.' },
    {
      name: 'Waiting',
      type: 'integer',
      path: '.status.readyReplicas',
      description: 'Idle workers that can be claimed.',
    },
    { name: 'Claimed', type: 'integer', path: '.status.claimed', description: 'Workers claimed so far.' },
    { name: 'Pods', type: 'integer', path: '.status.replicas', description: 'Idle workers, ready or not.', wide: true },
    {
      name: 'Max',
      type: 'integer',
      path: '.spec.maxReplicas',
      description: 'Maximum of Desired.',
      wide: true,
    },
    {
      name: 'Idle-After',
      type: 'integer',
      path: '.spec.idleSeconds',
      description: 'Seconds without a claim until it rests.',
      wide: true,
    },
  ],
  selectable: ['.spec.workload'],
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
})

export type WarmPoolSpec = SpecOf<typeof warmPool>
export type WarmPoolSpecInput = SpecInputOf<typeof warmPool>
export type WarmPoolStatus = StatusOf<typeof warmPool>
export type WarmPoolStatusInput = StatusInputOf<typeof warmPool>
