import { expect, test } from 'vitest'
import type { Pod } from '../workers/mod.ts'
import { isLive, type PodState, podStateOf } from './pod-state.ts'

type Status = NonNullable<Pod['status']>

const deletedAt = '2026-03-01T09:15:00Z'
const pod = (status: Status, deletionTimestamp?: string): Pod => ({
  metadata: {
    name: 'w',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '1',
    ...(deletionTimestamp ? { deletionTimestamp } : {}),
  },
  status,
})

type ContainerState = NonNullable<NonNullable<Status['containerStatuses']>[number]['state']>
const container = (state: ContainerState) => ({
  containerStatuses: [{ name: 'worker', ready: false, restartCount: 0, state }],
})
const waiting = (reason: string, message = '') => container({ waiting: { reason, message } })
const ended = (exitCode: number, reason: string, message = '') =>
  container({ terminated: { exitCode, reason, message, finishedAt: '2026-03-01T09:16:00Z' } })
const condition = (type: string, status: 'True' | 'False', reason: string, message: string) => ({
  conditions: [{ type, status, reason, message, lastTransitionTime: '2026-03-01T09:15:30Z' }],
})
const endedAt = Date.parse('2026-03-01T09:16:00Z')

/** Pods as real clusters report them. */
const cases: [what: string, pod: Pod, expected: PodState][] = [
  ['has just been created', pod({ phase: 'Pending' }), { kind: 'starting', message: 'The worker is being started.' }],
  [
    'cannot be scheduled',
    pod({
      phase: 'Pending',
      ...condition('PodScheduled', 'False', 'Unschedulable', '0/3 nodes are available: 3 Insufficient memory.'),
    }),
    {
      kind: 'unscheduled',
      isGated: false,
      message: 'No node: 0/3 nodes are available: 3 Insufficient memory.',
    },
  ],
  [
    'is held back by a scheduling gate, such as that of a quota queue',
    pod({
      phase: 'Pending',
      ...condition(
        'PodScheduled',
        'False',
        'SchedulingGated',
        'Scheduling is blocked due to non-empty scheduling gates',
      ),
    }),
    {
      kind: 'unscheduled',
      isGated: true,
      message: 'Scheduling gate: Scheduling is blocked due to non-empty scheduling gates',
    },
  ],
  [
    'is created by its node',
    pod({ phase: 'Pending', ...waiting('ContainerCreating') }),
    { kind: 'starting', message: 'The worker is being started.' },
  ],
  ...['ErrImagePull', 'ImagePullBackOff'].map((reason): [string, Pod, PodState] => [
    `cannot be pulled now (${reason})`,
    pod({ phase: 'Pending', ...waiting(reason, 'not found') }),
    {
      kind: 'unable',
      reason: 'ImagePull',
      isFinal: false,
      message: `The worker's image cannot be pulled (${reason}): not found`,
    },
  ]),
  ...['InvalidImageName', 'ErrImageNeverPull'].map((reason): [string, Pod, PodState] => [
    `can never be pulled (${reason})`,
    pod({ phase: 'Pending', ...waiting(reason) }),
    {
      kind: 'unable',
      reason: 'ImagePull',
      isFinal: true,
      message: `The worker's image cannot be pulled (${reason})`,
    },
  ]),
  [
    'lacks a Secret of its configuration',
    pod({ phase: 'Pending', ...waiting('CreateContainerConfigError', 'secret "trellis-nats" not found') }),
    {
      kind: 'unable',
      reason: 'Starting',
      isFinal: false,
      message: 'The worker cannot be started (CreateContainerConfigError): secret "trellis-nats" not found',
    },
  ],
  ['runs', pod({ phase: 'Running', ...container({ running: {} }) }), { kind: 'running' }],
  [
    'is being deleted while it runs',
    pod({ phase: 'Running', ...container({ running: {} }) }, deletedAt),
    { kind: 'ending', message: 'The worker is being ended' },
  ],
  [
    'is deleted by a drain',
    pod(
      {
        phase: 'Running',
        ...condition('DisruptionTarget', 'True', 'EvictionByEvictionAPI', 'Eviction API: evicting'),
        ...container({ running: {} }),
      },
      deletedAt,
    ),
    { kind: 'ending', message: 'The worker is being ended: Eviction API: evicting' },
  ],
  ['succeeded', pod({ phase: 'Succeeded', ...ended(0, 'Completed') }), { kind: 'succeeded', endedAt }],
  [
    'exceeded its memory limit',
    pod({ phase: 'Failed', ...ended(137, 'OOMKilled') }),
    { kind: 'failed', cause: 'OOMKilled', message: 'The worker exceeded the memory limit of its pod.', endedAt },
  ],
  [
    'was evicted by its node',
    pod({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' }),
    {
      kind: 'failed',
      cause: 'Evicted',
      message: "The worker's node ended it (Evicted): The node was low on resource: memory.",
      endedAt: undefined,
    },
  ],
  [
    'was evicted through the API',
    pod({
      phase: 'Failed',
      ...condition('DisruptionTarget', 'True', 'EvictionByEvictionAPI', 'Eviction API: evicting'),
      ...ended(143, 'Error'),
    }),
    {
      kind: 'failed',
      cause: 'Evicted',
      message: 'The worker was ended (EvictionByEvictionAPI): Eviction API: evicting',
      endedAt,
    },
  ],
  [
    'was preempted by another',
    pod({
      phase: 'Failed',
      ...condition(
        'DisruptionTarget',
        'True',
        'PreemptionByScheduler',
        'preempting to accommodate a higher priority pod',
      ),
    }),
    {
      kind: 'failed',
      cause: 'Evicted',
      message: 'The worker was ended (PreemptionByScheduler): preempting to accommodate a higher priority pod',
      endedAt: Date.parse('2026-03-01T09:15:30Z'),
    },
  ],
  [
    'was lost with its node',
    pod({
      phase: 'Failed',
      ...condition('DisruptionTarget', 'True', 'DeletionByPodGC', 'PodGC: node no longer exists'),
    }),
    {
      kind: 'failed',
      cause: 'WorkerLost',
      message: 'The worker was ended (DeletionByPodGC): PodGC: node no longer exists',
      endedAt: Date.parse('2026-03-01T09:15:30Z'),
    },
  ],
  [
    'belongs to a node that came back without it',
    pod({ phase: 'Failed', reason: 'NodeLost', message: 'Node which was running pod is unresponsive' }),
    {
      kind: 'failed',
      cause: 'WorkerLost',
      message: "The worker's node ended it (NodeLost): Node which was running pod is unresponsive",
      endedAt: undefined,
    },
  ],
  [
    'was not admitted by its node',
    pod({ phase: 'Failed', reason: 'OutOfcpu', message: 'Node did not have enough resource: cpu' }),
    {
      kind: 'failed',
      cause: 'WorkerLost',
      message: "The worker's node ended it (OutOfcpu): Node did not have enough resource: cpu",
      endedAt: undefined,
    },
  ],
  [
    'reported that it could not do its run',
    pod({ phase: 'Failed', ...ended(10, 'Error') }),
    { kind: 'failed', cause: 'Reported', message: 'The worker could not do the run.', endedAt },
  ],
  [
    'was terminated',
    pod({ phase: 'Failed', ...ended(143, 'Error') }),
    { kind: 'failed', cause: 'WorkerLost', message: 'The worker was terminated before it was done.', endedAt },
  ],
  [
    'crashed with a message',
    pod({ phase: 'Failed', ...ended(1, 'Error', 'at main.ts:7\nTypeError: x is not a function\n') }),
    {
      kind: 'failed',
      cause: 'Crashed',
      message: 'The worker ended with code 1: TypeError: x is not a function',
      endedAt,
    },
  ],
  [
    'was killed after it had logged something',
    pod({ phase: 'Failed', ...ended(137, 'Error', 'Trellis search-worker is ready in 1.2 s.\n') }),
    { kind: 'failed', cause: 'Crashed', message: 'The worker was killed (SIGKILL).', endedAt },
  ],
  [
    'ended with an unknown exit status',
    pod({ phase: 'Failed', ...ended(137, 'ContainerStatusUnknown', 'The container could not be located') }),
    { kind: 'failed', cause: 'WorkerLost', message: 'The worker ended, and its exit status is unknown', endedAt },
  ],
  [
    'failed and is being deleted',
    pod({ phase: 'Failed', ...ended(137, 'OOMKilled') }, deletedAt),
    { kind: 'failed', cause: 'OOMKilled', message: 'The worker exceeded the memory limit of its pod.', endedAt },
  ],
]

test.each(cases)('a pod that %s', (_, seen, expected) => {
  expect(podStateOf(seen)).toEqual(expected)
})

test('a pod that is being deleted is still live, so it gets no replacement yet', () => {
  expect(isLive(podStateOf(pod({ phase: 'Running' }, deletedAt)))).toBe(true)
  expect(isLive(podStateOf(pod({ phase: 'Failed' }, deletedAt)))).toBe(false)
  expect(isLive(podStateOf(pod({ phase: 'Succeeded' })))).toBe(false)
})
