import { defineKind, type SpecInputOf, type SpecOf, type StatusInputOf, type StatusOf } from '../kind.ts'
import { choice, defaulted, immutable, integer, object, required, text } from '../schema.ts'
import { commonStatus, notObserved } from '../status.ts'

export const warmPool = defineKind({
  kind: 'WarmPool',
  plural: 'warmpools',
  shortName: 'pool',
  description:
    'WarmPool keeps workers waiting, so that a Search or a GenerationJob starts at once instead of waiting for a pod. A worker that is claimed leaves the pool and is replaced.',
  spec: object(
    'spec is which workers wait, and how many.',
    {
      workload: required(
        immutable(
          'its workers can do nothing else; make another WarmPool instead',
          choice('workload is what the workers wait for: search or generation. It cannot be changed.', [
            'search',
            'generation',
          ]),
        ),
      ),
      replicas: required(
        integer(
          'replicas is how many idle workers wait, 0 to maxReplicas; claimed ones are not counted. "kubectl scale" and autoscalers set it.',
          { minimum: 0 },
        ),
      ),
      maxReplicas: defaulted(
        50,
        integer('maxReplicas is the most that replicas may be set to by whoever scales the pool, 1 to 200.', {
          minimum: 1,
          maximum: 200,
        }),
      ),
      idleSeconds: defaulted(
        0,
        integer(
          'idleSeconds is after how many seconds without a claim the pool rests at no workers until the next run, 0 to 86400; 0 is never.',
          { minimum: 0, maximum: 86_400 },
        ),
      ),
    },
    [
      {
        rule: 'self.replicas <= self.maxReplicas',
        message: 'replicas must not be above maxReplicas (50 unless given): raise maxReplicas first',
        fieldPath: '.replicas',
        reason: 'FieldValueForbidden',
      },
    ],
  ),
  status: defaulted(
    notObserved,
    object('status is how the WarmPool is; the operator writes it.', {
      ...commonStatus,
      replicas: integer('replicas is how many idle workers the pool has, ready or not.', { minimum: 0 }),
      readyReplicas: integer('readyReplicas is how many idle workers can be claimed now.', { minimum: 0 }),
      claimed: integer('claimed is how many workers were claimed so far.', { minimum: 0, format: 'int64' }),
      selector: text('selector is the label selector of the idle workers, for autoscalers.', { maxLength: 1024 }),
    }),
  ),
  columns: [
    { name: 'Workload', type: 'string', path: '.spec.workload', description: 'What the workers wait for.' },
    { name: 'Wanted', type: 'integer', path: '.spec.replicas', description: 'Idle workers that should wait.' },
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
      description: 'The most it may be scaled to.',
      wide: true,
    },
    {
      name: 'Idle-After',
      type: 'integer',
      path: '.spec.idleSeconds',
      description: 'Seconds until it rests.',
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
