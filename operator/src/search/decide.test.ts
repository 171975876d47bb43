import type { RunFailed } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { describe, expect, test } from 'vitest'
import type { Search } from '../crds/mod.ts'
import {
  concludingQuietly,
  noReports,
  type PodState,
  type RunFacts,
  reportPatience,
  startingQuietly,
} from '../runs/mod.ts'
import { type Decision, decide, type SearchView, type Worker } from './decide.ts'
import type { Loss } from './survey.ts'

const begun = Date.parse('2026-03-01T09:15:00Z')

const search = (status: Partial<Search['status']> = {}, spec: Partial<Search['spec']> = {}): Search => ({
  metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '1', generation: 1 },
  spec: {
    query: 'thinkpad',
    adapter: 'auto',
    pages: 1,
    suspend: false,
    ttlSecondsAfterFinished: 3_600,
    activeDeadlineSeconds: 300,
    ...spec,
  } as Search['spec'],
  status: { observedGeneration: -1, ...status } as Search['status'],
})

const atWork = search({ phase: 'Running', podName: 'w', startTime: new Date(begun).toISOString() })
const worker = (state: PodState, more: Partial<Worker> = {}): Worker => ({
  name: 'w',
  state,
  isClaimed: false,
  ...more,
})
const failure: RunFailed = {
  reason: 'Robots',
  detail: 'Its robots.txt forbids it.',
  kind: 'forbidden',
  retryAfterSeconds: null,
}

type Case = {
  after?: number
  of?: Search
  facts?: Partial<RunFacts>
  worker?: Worker
  lost?: Loss
}

/** The decision `after` milliseconds after the run was accepted. */
const decided = ({ after = 0, of = search(), facts = {}, ...more }: Case): Decision => {
  const view: SearchView = {
    search: of,
    facts: { ...noReports, ...facts },
    acceptedAt: begun,
    quietUntil: begun + startingQuietly,
    now: begun + after,
    ...more,
  }
  return decide(view)
}

describe('a Search that names a user', () => {
  const requested = (labels: Record<string, string>, user: string, allowedUsers: string[]) => {
    const of = search({}, { user })
    const view: SearchView = {
      search: { ...of, metadata: { ...of.metadata, labels } },
      facts: noReports,
      acceptedAt: begun,
      quietUntil: begun,
      now: begun,
      allowedUsers,
    }
    return decide(view)
  }
  const refused = { kind: 'end', desiredStatus: { phase: 'Failed', reason: 'UserNotAllowed' } }

  test('fails unless the installation allows it to act for that user', () => {
    expect(requested({}, 'alice', [])).toMatchObject(refused)
    expect(requested({}, 'alice', ['bob'])).toMatchObject(refused)
    expect(requested({}, 'alice', ['alice'])).toMatchObject({ kind: 'obtain' })
    expect(requested({}, 'alice', ['*'])).toMatchObject({ kind: 'obtain' })
  })

  test('starts if it names the local user, or a service requested it', () => {
    expect(requested({}, 'local', [])).toMatchObject({ kind: 'obtain' })
    expect(requested({ 'trellis.dev/run-id': 'run-1' }, 'alice', [])).toMatchObject({ kind: 'obtain' })
  })
})

const started = { started: { worker: 'w', warm: true, at: begun } }
const succeeded: PodState = { kind: 'succeeded', endedAt: undefined }

describe('a run needs a worker', () => {
  test.each<[string, Case, Decision]>([
    ['when it has none', {}, { kind: 'obtain', attempt: 1 }],
    [
      'when its first worker is lost',
      { of: atWork, lost: { attempt: 1, reason: 'Evicted', message: 'It was evicted.' } },
      { kind: 'obtain', attempt: 2, because: 'It was evicted.' },
    ],
    [
      'when the pod of its second attempt was replaced by an idle worker',
      {
        of: search({ attempts: 2, sessionId: 'r' }),
        lost: { attempt: 1, reason: 'Evicted', message: 'It was evicted.' },
      },
      { kind: 'obtain', attempt: 2 },
    ],
  ])('%s', (_, input, expected) => {
    expect(decided(input)).toEqual(expected)
  })
})

describe('a run fails', () => {
  test.each<[string, Case, string, boolean]>([
    [
      'when its second worker is lost',
      { lost: { attempt: 2, reason: 'WorkerLost', message: 'Gone.' } },
      'WorkerLost',
      true,
    ],
    ['by its deadline', { after: 300_000, of: atWork, worker: worker({ kind: 'running' }) }, 'DeadlineExceeded', true],
    ['by its deadline before it had a worker', { after: 300_000 }, 'DeadlineExceeded', true],
    [
      'when the caller cancels it',
      { facts: { cancelled: true }, worker: worker({ kind: 'running' }) },
      'Cancelled',
      true,
    ],
    [
      'when its worker exceeds its memory limit',
      { worker: worker({ kind: 'failed', cause: 'OOMKilled', message: 'Too much.', endedAt: undefined }) },
      'OOMKilled',
      true,
    ],
    [
      'when its image can never be pulled',
      { worker: worker({ kind: 'unable', reason: 'ImagePull', isFinal: true, message: 'No such image.' }) },
      'ImagePull',
      true,
    ],
    [
      'when its worker succeeded without a report',
      { of: atWork, after: reportPatience + 1_000, worker: worker(succeeded, { endedAt: begun + 1_000 }) },
      'NoReport',
      true,
    ],
    [
      'when its worker failed without a report',
      {
        after: reportPatience,
        worker: worker(
          { kind: 'failed', cause: 'Reported', message: 'It could not.', endedAt: undefined },
          { endedAt: begun },
        ),
      },
      'NoReport',
      true,
    ],
    [
      'for the reason of its worker if the service is silent',
      { facts: { failed: { failure, at: begun } }, after: reportPatience },
      'Robots',
      false,
    ],
    [
      'for the reason of its service, whatever its worker reported',
      {
        facts: {
          failed: { failure, at: begun },
          concluded: { failure: { ...failure, reason: 'MarketplaceRefused' } } as RunFacts['concluded'] & object,
        },
      },
      'MarketplaceRefused',
      false,
    ],
  ])('%s', (_, input, reason, isReported) => {
    const decision = decided(input)
    expect(decision).toMatchObject({ kind: 'end', desiredStatus: { phase: 'Failed', reason } })
    expect('report' in decision).toBe(isReported)
    if (isReported) expect(decision).toMatchObject({ report: { reason }, stops: true })
  })
})

describe('a run is complete when its service reports it', () => {
  const concluded = { listingsFound: 1 } as RunFacts['concluded'] & object

  test.each<[string, Case]>([
    [
      'while its worker lingers',
      { facts: { ...started, worked: { at: begun }, concluded }, worker: worker({ kind: 'running' }) },
    ],
    ['when its worker has ended', { facts: { concluded }, worker: worker(succeeded) }],
    ['when its pod is gone', { facts: { concluded }, lost: { attempt: 2, reason: 'WorkerLost', message: 'Gone.' } }],
    ['although its deadline has passed since', { facts: { concluded }, after: 400_000 }],
  ])('%s', (_, input) => {
    expect(decided(input)).toEqual({
      kind: 'end',
      desiredStatus: { phase: 'Complete', reason: 'Finished', message: 'It found 1 listing.' },
      concluded,
      stops: false,
    })
  })

  test('a worker that is still busy with a failed run is stopped', () => {
    const input = {
      facts: { ...started, concluded: { failure } as typeof concluded },
      worker: worker({ kind: 'running' }),
    }
    expect(decided(input)).toMatchObject({ kind: 'end', stops: true })
  })
})

describe('a run waits', () => {
  const left = 300_000

  test.each<[string, Case, Decision]>([
    [
      'without a status while it starts',
      { worker: worker({ kind: 'starting', message: 'It is started.' }) },
      { kind: 'wait', milliseconds: startingQuietly },
    ],
    [
      'with a status once starting takes long',
      { after: startingQuietly, worker: worker({ kind: 'starting', message: 'It is started.' }) },
      {
        kind: 'wait',
        milliseconds: left - startingQuietly,
        desiredStatus: { phase: 'Pending', reason: 'Starting', message: 'It is started.' },
      },
    ],
    [
      'for a claimed worker to start',
      { after: startingQuietly, worker: worker({ kind: 'running' }, { isClaimed: true }) },
      {
        kind: 'wait',
        milliseconds: left - startingQuietly,
        desiredStatus: { phase: 'Pending', reason: 'Claimed', message: 'A waiting worker has taken it.' },
      },
    ],
    [
      'for its worker, which has started',
      { facts: started, worker: worker({ kind: 'running' }) },
      {
        kind: 'wait',
        milliseconds: left,
        desiredStatus: { phase: 'Running', reason: 'Running', message: 'A worker searches.' },
      },
    ],
    [
      'for its worker, which reported its start before its node did',
      { facts: started, worker: worker({ kind: 'starting', message: 'It is started.' }) },
      {
        kind: 'wait',
        milliseconds: left,
        desiredStatus: { phase: 'Running', reason: 'Running', message: 'A worker searches.' },
      },
    ],
    [
      'for its second worker, whatever the first one reported',
      { facts: started, after: startingQuietly, worker: worker({ kind: 'running' }, { name: 'w2' }) },
      {
        kind: 'wait',
        milliseconds: left - startingQuietly,
        desiredStatus: { phase: 'Pending', reason: 'Starting', message: 'The worker waits for its assignment.' },
      },
    ],
    [
      'for its service, without a status at first',
      { of: atWork, facts: { worked: { at: begun } }, worker: worker(succeeded) },
      { kind: 'wait', milliseconds: concludingQuietly },
    ],
    [
      'for its service',
      { of: atWork, facts: { worked: { at: begun } }, after: 5_000, worker: worker(succeeded) },
      {
        kind: 'wait',
        milliseconds: left - 5_000,
        desiredStatus: {
          phase: 'Running',
          reason: 'Finished',
          message: 'The worker is done; the listings service writes what it found.',
        },
      },
    ],
    [
      'for the final report of its failure',
      { of: atWork, facts: { failed: { failure, at: begun } }, after: 10_000 },
      { kind: 'wait', milliseconds: reportPatience - 10_000 },
    ],
    [
      'no longer than its deadline',
      {
        of: search({}, { activeDeadlineSeconds: 5 }),
        after: 3_000,
        worker: worker({ kind: 'running' }),
        facts: started,
      },
      {
        kind: 'wait',
        milliseconds: 2_000,
        desiredStatus: { phase: 'Running', reason: 'Running', message: 'A worker searches.' },
      },
    ],
    [
      'for a worker that is being ended to be gone',
      { of: atWork, worker: worker({ kind: 'ending', message: 'It is being ended.' }) },
      {
        kind: 'wait',
        milliseconds: left,
        desiredStatus: { phase: 'Running', reason: 'WorkerLost', message: 'It is being ended.' },
      },
    ],
  ])('%s', (_, input, expected) => {
    expect(decided(input)).toEqual(expected)
  })

  test('for its service, also if another process received the worked event', () => {
    const held = search({
      ...atWork.status,
      conditions: [
        { type: 'Ready', status: 'False', reason: 'Finished', message: '', lastTransitionTime: '2026-03-01T09:15:02Z' },
      ],
    })
    expect(decided({ of: held, worker: worker(succeeded, { endedAt: begun }), after: 60_000 })).toMatchObject({
      kind: 'wait',
      desiredStatus: { reason: 'Finished' },
    })
  })
})
