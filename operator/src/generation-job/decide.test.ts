import { describe, expect, test } from 'vitest'
import { concludingQuietly, noReports, type PodState, type RunFacts, startingQuietly } from '../runs/mod.ts'
import type { BatchState } from './batch-job.ts'
import { type Decision, decide, type GenerationView } from './decide.ts'
import type { Survey } from './survey.ts'
import { generationObject } from './test-support.ts'

const start = Date.parse('2026-03-01T12:00:00Z')
/** Long after the start, so that debounced states are written. */
const now = start + 10_000

const survey = (parts: {
  batch?: BatchState
  pod?: PodState
  isClaimed?: boolean
  lostClaim?: Survey['lostClaim']
  attempts?: number
  gpu?: Survey['gpu']
}): Survey => ({
  gpu: parts.gpu,
  surplus: [],
  live: [],
  attempts: parts.attempts ?? 1,
  ...(parts.batch ? { batch: { job: {} as never, state: parts.batch } } : {}),
  ...(parts.pod
    ? { current: { pod: { metadata: { name: 'p1' } } as never, state: parts.pod, isClaimed: parts.isClaimed ?? false } }
    : {}),
  ...(parts.lostClaim ? { lostClaim: parts.lostClaim } : {}),
})

const active: BatchState = { kind: 'active' }
const view = (found: Survey, rest: Partial<GenerationView> = {}): GenerationView => ({
  job: generationObject(),
  facts: noReports,
  found,
  isOffered: undefined,
  acceptedAt: start,
  quietUntil: start + startingQuietly,
  waitingSince: undefined,
  endedAt: now,
  now,
  ...rest,
})
const received = (facts: Partial<RunFacts>): { facts: RunFacts } => ({ facts: { ...noReports, version: 1, ...facts } })
const failure = (reason: string) => ({ reason, detail: 'A message.', kind: 'not_found', retryAfterSeconds: null })

/** A decision as kind, phase and reason. */
const reported = (decision: Decision) => [
  decision.kind,
  ...('desiredStatus' in decision && decision.desiredStatus
    ? [decision.desiredStatus.phase, decision.desiredStatus.reason]
    : []),
]

const crashed: PodState = { kind: 'failed', cause: 'Crashed', message: 'Code 1.', endedAt: now }
const oom: PodState = { kind: 'failed', cause: 'OOMKilled', message: 'Too much memory.', endedAt: now }
const unscheduled: PodState = {
  kind: 'unscheduled',
  isGated: false,
  message: 'No node: 1 Insufficient nvidia.com/gpu.',
}
const overdue = { endedAt: now - 30_000 }

test('a message of Kubernetes without an end mark and the sentence after it are two sentences', () => {
  const evicted: PodState = { kind: 'failed', cause: 'Evicted', message: 'Eviction API: evicting', endedAt: now }
  expect(decide(view(survey({ batch: active, pod: evicted })))).toMatchObject({
    desiredStatus: { message: 'Eviction API: evicting. Another worker is started.' },
  })
})

test.each<[string, GenerationView, (string | undefined)[]]>([
  ['has no worker', view(survey({})), ['obtain']],
  ['has a Job without a pod', view(survey({ batch: active })), ['wait', 'Pending', 'Starting']],
  ['has just started', view(survey({ batch: active }), { quietUntil: now + 1 }), ['wait']],
  ['waits in a queue', view(survey({ batch: { kind: 'suspended' } })), ['wait', 'Pending', 'Unschedulable']],
  [
    'has a worker that has not reported its start',
    view(survey({ batch: active, pod: { kind: 'running' } })),
    ['wait', 'Pending', 'Starting'],
  ],
  [
    'claimed an idle worker',
    view(survey({ pod: { kind: 'running' }, isClaimed: true })),
    ['wait', 'Pending', 'Claimed'],
  ],
  [
    'is running',
    view(
      survey({ batch: active, pod: { kind: 'running' } }),
      received({ started: { worker: 'p1', warm: false, at: now } }),
    ),
    ['wait', 'Running', 'Running'],
  ],
  ['is unschedulable', view(survey({ batch: active, pod: unscheduled })), ['wait', 'Pending', 'Unschedulable']],
  [
    'has an invalid image name',
    view(survey({ batch: active, pod: { kind: 'unable', reason: 'ImagePull', isFinal: true, message: 'Bad name.' } })),
    ['end', 'Failed', 'ImagePull'],
  ],
  ['lost a pod that its Job replaces', view(survey({ batch: active, pod: crashed })), ['wait', 'Pending', 'Starting']],
  [
    'has just finished its work',
    view(survey({ batch: active, pod: { kind: 'running' } }), received({ worked: { at: now } })),
    ['wait'],
  ],
  [
    'finished its work a while ago',
    view(survey({ batch: active, pod: { kind: 'running' } }), received({ worked: { at: now - concludingQuietly } })),
    ['wait', 'Running', 'Finished'],
  ],
  [
    'is concluded',
    view(survey({ batch: active }), received({ concluded: { outputKey: 'k', outputSeconds: 10 } as never })),
    ['end', 'Complete', 'Finished'],
  ],
  [
    'is concluded with a failure',
    view(survey({}), received({ concluded: { failure: failure('NodeNotFound') } as never })),
    ['end', 'Failed', 'NodeNotFound'],
  ],
  ['was cancelled', view(survey({ batch: active }), received({ cancelled: true })), ['end', 'Failed', 'Cancelled']],
  [
    'exceeds its deadline',
    view(survey({ batch: active }), { acceptedAt: now - 3_600_000 }),
    ['end', 'Failed', 'DeadlineExceeded'],
  ],
  [
    'failed, with the report of its service pending',
    view(survey({ batch: active }), received({ failed: { failure: failure('NodeNotFound'), at: now } })),
    ['wait'],
  ],
  [
    'failed, without a report of its service',
    view(survey({ batch: active }), received({ failed: { failure: failure('NodeNotFound'), at: now - 30_000 } })),
    ['end', 'Failed', 'NodeNotFound'],
  ],
  ['has a complete Job, with the report pending', view(survey({ batch: { kind: 'complete' } })), ['wait']],
  [
    'has a complete Job without a report',
    view(survey({ batch: { kind: 'complete' } }), overdue),
    ['end', 'Failed', 'NoReport'],
  ],
  [
    'has a worker that reported failure, with the report pending',
    view(survey({ batch: { kind: 'failed', isReported: true, message: '' } })),
    ['wait'],
  ],
  [
    'has a worker that reported failure, without a report',
    view(survey({ batch: { kind: 'failed', isReported: true, message: '' } }), overdue),
    ['end', 'Failed', 'NoReport'],
  ],
  [
    'has a failed Job, with its pod still running',
    view(survey({ batch: { kind: 'failed', isReported: false, message: '' }, pod: { kind: 'running' } })),
    ['wait'],
  ],
  [
    'has a failed Job, with a pod that never ends',
    view(survey({ batch: { kind: 'failed', isReported: false, message: '' }, pod: { kind: 'running' } }), overdue),
    ['end', 'Failed', 'WorkerLost'],
  ],
  [
    'failed too often',
    view(survey({ batch: { kind: 'failed', isReported: false, message: '' }, pod: crashed })),
    ['end', 'Failed', 'WorkerLost'],
  ],
  [
    'exceeded its memory limit',
    view(survey({ batch: { kind: 'failed', isReported: false, message: '' }, pod: oom })),
    ['end', 'Failed', 'OOMKilled'],
  ],
])('a run that %s', (_, seen, expected) => {
  expect(reported(decide(seen))).toEqual(expected)
})

describe('a claimed worker that is lost', () => {
  const lost = (isServiceError: boolean, backoffLimit = 2) =>
    decide(
      view(survey({ lostClaim: { message: 'It is gone.', isServiceError } }), {
        job: generationObject({ backoffLimit }),
      }),
    )

  test('counts as an attempt if it failed itself', () => {
    expect(lost(true)).toMatchObject({ kind: 'obtain', mayClaim: false, backoffLimit: 1 })
    expect(reported(lost(true, 0))).toEqual(['end', 'Failed', 'WorkerLost'])
  })

  test('does not count as an attempt if it was disrupted', () => {
    expect(lost(false, 0)).toMatchObject({ kind: 'obtain', mayClaim: false, backoffLimit: 0, because: 'It is gone.' })
  })
})

describe('a run that requests a GPU', () => {
  const gpu = { amount: 1, product: 'H100', isRequired: false }
  const waiting = ({ found = survey({ batch: active, pod: unscheduled, gpu }), ...rest }: Partial<GenerationView>) =>
    decide(view(found, { isOffered: false, waitingSince: now - 20_000, ...rest }))

  test('waits a minute if no node has it, and falls back to the CPU', () => {
    expect(waiting({})).toMatchObject({
      kind: 'wait',
      milliseconds: 40_000,
      desiredStatus: { reason: 'Unschedulable' },
    })
    expect(waiting({ waitingSince: now - 60_000 })).toEqual({
      kind: 'fallBack',
      message: 'No node offers a GPU of model H100: the run continues on the CPU.',
    })
  })

  test('falls back while it waits in a queue, too', () => {
    const held = view(survey({ batch: { kind: 'suspended' }, gpu }), { isOffered: false, waitingSince: now - 60_000 })
    expect(decide(held).kind).toBe('fallBack')
  })

  test('keeps waiting if a node has it in use', () => {
    expect(waiting({ isOffered: true, waitingSince: now - 60_000 }).kind).toBe('wait')
  })

  test('relies on the scheduler message if the nodes are unknown', () => {
    const missing = survey({ batch: active, pod: unscheduled, gpu })
    expect(decide(view(missing, { waitingSince: now - 60_000 })).kind).toBe('fallBack')
    const other: PodState = { ...unscheduled, message: 'No node: 1 Insufficient memory.' }
    expect(decide(view(survey({ batch: active, pod: other, gpu }), { waitingSince: now - 60_000 })).kind).toBe('wait')
  })

  test('waits without limit if it requires one: its deadline has not started', () => {
    const found = survey({ batch: active, pod: unscheduled, gpu: { ...gpu, isRequired: true } })
    const required = waiting({ found, waitingSince: now - 600_000 })
    expect(required).toMatchObject({ kind: 'wait', isHeld: true, desiredStatus: { reason: 'Unschedulable' } })
  })
})
