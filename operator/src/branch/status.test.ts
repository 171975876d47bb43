import { describe, expect, test } from 'vitest'
import type { ContainerStatus, Pod, PodCondition } from '../workers/mod.ts'
import { noticedChanges } from './branch-events.ts'
import { podConditionOf } from './pod-condition.ts'
import { branchStatus, type Finding, judge } from './status.ts'
import { branchObject } from './test-support.ts'

const pod = (conditions: PodCondition[], container?: Partial<ContainerStatus>): Pod => ({
  metadata: { name: 'branch-a-0', namespace: 'farm', uid: 'u', resourceVersion: '1' },
  status: {
    phase: 'Pending',
    conditions,
    ...(container ? { containerStatuses: [{ name: 'branch', ready: false, restartCount: 0, ...container }] } : {}),
  },
})
const scheduled: PodCondition = { type: 'PodScheduled', status: 'True' }
const waiting = (reason: string, message?: string) => ({
  state: { waiting: { reason, ...(message ? { message } : {}) } },
})
const last = (exitCode: number, rest: object = {}) => ({ lastState: { terminated: { exitCode, ...rest } } })

describe('the pod of a branch', () => {
  test.each<[string, Pod | undefined, object]>([
    ['that does not exist', undefined, { kind: 'none' }],
    ['that is ready', pod([{ type: 'Ready', status: 'True' }]), { kind: 'ready' }],
    [
      'that is unschedulable',
      pod([{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes are available' }]),
      { kind: 'unschedulable', message: '0/1 nodes are available.' },
    ],
    [
      'whose image cannot be pulled',
      pod([scheduled], waiting('ImagePullBackOff', 'Back-off pulling image "x"')),
      { kind: 'cannotPull', message: 'ImagePullBackOff: Back-off pulling image "x".' },
    ],
    [
      'whose Secret is missing',
      pod([scheduled], waiting('CreateContainerConfigError', 'secret "k" not found')),
      { kind: 'cannotStart', message: 'CreateContainerConfigError: secret "k" not found.' },
    ],
    [
      'that crashes, with its last output line',
      pod([scheduled], {
        restartCount: 4,
        ...waiting('CrashLoopBackOff'),
        ...last(2, { message: 'a\nThe data directory is not writable.\n' }),
      }),
      {
        kind: 'crashing',
        message: 'The process was restarted 4 times, last after exit code 2: The data directory is not writable.',
      },
    ],
    [
      'that exceeds its memory limit',
      pod([scheduled], { restartCount: 2, ...waiting('CrashLoopBackOff'), ...last(137, { reason: 'OOMKilled' }) }),
      {
        kind: 'crashing',
        message: 'The process was restarted 2 times, last after it used more memory than its limit.',
      },
    ],
    [
      'that is being created',
      pod([scheduled], waiting('ContainerCreating')),
      { kind: 'starting', message: 'Its pod is being started.' },
    ],
    [
      'that runs and is not ready',
      pod([scheduled], { state: { running: {} } }),
      { kind: 'starting', message: 'Its process runs and is not ready yet.' },
    ],
    [
      'that runs again after a crash',
      pod([scheduled], { restartCount: 1, state: { running: {} }, ...last(2) }),
      {
        kind: 'starting',
        message: 'Its process runs and is not ready yet.',
        lastExit: 'The process was restarted once, last after exit code 2.',
      },
    ],
  ])('%s', (_, seen, expected) => {
    expect(podConditionOf(seen)).toEqual(expected)
  })

  test('that is being deleted has no other condition', () => {
    const ending = pod([{ type: 'Ready', status: 'True' }])
    ending.metadata.deletionTimestamp = '2026-01-01T00:00:00Z'
    expect(podConditionOf(ending)).toEqual({ kind: 'ending' })
  })
})

const running = (finding: Partial<Finding & { kind: 'running' }>): Finding => ({
  kind: 'running',
  port: 8538,
  pod: { kind: 'ready' },
  isUpdated: true,
  growth: { kind: 'fits' },
  ...finding,
})
const active = branchObject('a')
const inactive = branchObject('a', { spec: { state: 'Inactive' } })

test.each<[string, typeof active, Finding, [string, string, string]]>([
  ['takes log lines', active, running({}), ['Active', 'ready', 'Active']],
  ['runs an earlier version', active, running({ isUpdated: false }), ['Active', 'working', 'Updating']],
  ['has no pod yet', active, running({ pod: { kind: 'none' } }), ['Pending', 'working', 'Starting']],
  [
    'is unschedulable',
    active,
    running({ pod: { kind: 'unschedulable', message: 'No.' } }),
    ['Pending', 'working', 'Unschedulable'],
  ],
  [
    'cannot be pulled',
    active,
    running({ pod: { kind: 'cannotPull', message: 'No.' } }),
    ['Pending', 'working', 'ImagePull'],
  ],
  ['crashes', active, running({ pod: { kind: 'crashing', message: 'No.' } }), ['Failed', 'stalled', 'CrashLooping']],
  [
    'cannot be started',
    active,
    running({ pod: { kind: 'cannotStart', message: 'No.' } }),
    ['Failed', 'stalled', 'CannotStart'],
  ],
  ['has a volume that grows', active, running({ growth: { kind: 'growing' } }), ['Active', 'working', 'VolumeGrowing']],
  [
    'has a volume that cannot grow',
    active,
    running({ growth: { kind: 'refused', message: 'No.' } }),
    ['Active', 'stalled', 'VolumeNotGrown'],
  ],
  ['is inactive', inactive, running({ pod: { kind: 'none' } }), ['Inactive', 'ready', 'Inactive']],
  [
    'is inactive with a volume that cannot grow',
    inactive,
    running({ pod: { kind: 'none' }, growth: { kind: 'refused', message: 'No.' } }),
    ['Inactive', 'ready', 'Inactive'],
  ],
  ['is being stopped', inactive, running({ pod: { kind: 'ending' } }), ['Pending', 'working', 'Stopping']],
  [
    'has a slug that is taken',
    active,
    { kind: 'slugTaken', by: 'farm/b', isGoing: false },
    ['Failed', 'stalled', 'SlugTaken'],
  ],
  ['waits for a slug', active, { kind: 'slugTaken', by: 'farm/b', isGoing: true }, ['Pending', 'working', 'SlugTaken']],
  [
    'has a port that is taken',
    active,
    { kind: 'portTaken', port: 1, by: 'farm/b' },
    ['Failed', 'stalled', 'PortTaken'],
  ],
  ['has no free port', active, { kind: 'noPort' }, ['Failed', 'stalled', 'PortTaken']],
  ['waits for a name', active, { kind: 'nameTaken', what: 'Secret x' }, ['Pending', 'working', 'NameTaken']],
  [
    'is rejected by the API server',
    active,
    { kind: 'refused', message: 'exceeded quota' },
    ['Failed', 'stalled', 'Refused'],
  ],
])('a branch that %s', (_, branch, finding, [phase, progress, reason]) => {
  const status = branchStatus(branch, { finding, assigned: {}, now: 0 })
  expect(judge(branch, finding)).toMatchObject({ progress, reason, message: expect.stringMatching(/./) })
  expect(status).toMatchObject({ phase, observedGeneration: 3 })
  const is = (type: string) => status.conditions?.find((condition) => condition.type === type)?.status
  expect([is('Ready'), is('Reconciling'), is('Stalled')]).toEqual(
    ['ready', 'working', 'stalled'].map((one) => (one === progress ? 'True' : 'False')),
  )
  expect(status.conditions?.every(({ observedGeneration }) => observedGeneration === 3)).toBe(true)
})

describe('an event of a branch', () => {
  const at = '2026-03-01T09:15:02.750Z'
  const reported = branchObject('a', { status: { entryCount: 5, lastSeen: '2026-03-01T09:15:02Z' } })

  test.each([
    ['is new', branchObject('a'), { entryCount: 5, lastSeen: at }, { entryCount: 5, lastSeen: '2026-03-01T09:15:02Z' }],
    ['is known', reported, { entryCount: 5, lastSeen: at }, undefined],
    [
      'has more entries',
      reported,
      { entryCount: 6, lastSeen: '2026-03-01T09:16:00Z' },
      { entryCount: 6, lastSeen: '2026-03-01T09:16:00Z' },
    ],
    [
      'has fewer entries after their retention',
      reported,
      { entryCount: 2, lastSeen: at },
      { entryCount: 2, lastSeen: '2026-03-01T09:15:02Z' },
    ],
    ['is outdated', reported, { entryCount: 4, lastSeen: '2026-03-01T09:15:01Z' }, undefined],
    ['has no entries', branchObject('a'), { entryCount: 0 }, { entryCount: 0 }],
  ])('%s', (_, branch, event, expected) => {
    expect(noticedChanges(branch, { slug: 'a', ...event })).toEqual(expected)
  })
})

test('the messages of a pull that is retried alternate, and the status keeps the first', () => {
  const ofPull = (branch: typeof active, message: string) =>
    branchStatus(branch, { finding: running({ pod: { kind: 'cannotPull', message } }), assigned: {}, now: 0 })
  const first = ofPull(active, 'ErrImagePull: no such image.')
  const retried = ofPull({ ...active, status: { ...active.status, ...first } }, 'ImagePullBackOff: back-off.')
  expect(retried.conditions).toBe(first.conditions)
  expect(first.conditions?.[0]?.message).toBe('ErrImagePull: no such image.')
})

test('a branch whose process crashes remains in CrashLooping while it is restarted, until its pod is ready or replaced', () => {
  const after = (branch: typeof active, seen: Finding) => ({
    ...branch,
    status: { ...branch.status, ...branchStatus(branch, { finding: seen, assigned: {}, now: 0 }) },
  })
  const restarted = running({ pod: { kind: 'starting', message: 'It runs.', lastExit: 'It was restarted 2 times.' } })
  const first = after(active, restarted)
  const crashing = after(first, running({ pod: { kind: 'crashing', message: 'It was restarted once.' } }))
  const reasons = [
    first,
    crashing,
    after(crashing, restarted),
    after(crashing, running({ pod: { kind: 'starting', message: 'It is created.' } })),
    after(crashing, running({})),
  ].map(({ status }) => status.conditions?.find(({ type }) => type === 'Stalled'))
  expect(reasons.map((condition) => condition?.reason)).toEqual([
    'Starting',
    'CrashLooping',
    'CrashLooping',
    'Starting',
    'Active',
  ])
  expect(reasons[2]).toMatchObject({ status: 'True', message: 'It was restarted 2 times.' })
})
