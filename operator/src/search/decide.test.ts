import type { RunFailed } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { describe, expect, test } from 'vitest'
import type { Search } from '../crds/mod.ts'
import { noReports, type PodState, type RunFacts, reportPatience, startingQuietly } from '../runs/mod.ts'
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

/** What is decided so many milliseconds after the run was taken on. */
const decided = ({ after = 0, of = search(), facts = {}, ...more }: Case): Decision => {
  const view: SearchView = {
    search: of,
    facts: { ...noReports, ...facts },
    acceptedAt: begun,
    now: begun + after,
    ...more,
  }
  return decide(view)
}

describe('a Search that names an account', () => {
  const requested = (labels: Record<string, string>, user: string, allowedUsers: string[]) => {
    const of = search({}, { user })
    const view: SearchView = {
      search: { ...of, metadata: { ...of.metadata, labels } },
      facts: noReports,
      acceptedAt: begun,
      now: begun,
      allowedUsers,
    }
    return decide(view)
  }
  const refused = { kind: 'end', desiredStatus: { phase: 'Failed', reason: 'UserNotAllowed' } }

  test('fails unless the installation allows it to act for that account', () => {
    expect(requested({}, 'alice', [])).toMatchObject(refused)
    expect(requested({}, 'alice', ['bob'])).toMatchObject(refused)
    expect(requested({}, 'alice', ['alice'])).toMatchObject({ kind: 'obtain' })
    expect(requested({}, 'alice', ['*'])).toMatchObject({ kind: 'obtain' })
  })

  test('is begun where it names the own account, or a service asked for it', () => {
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
      'when its first one is lost',
      { of: atWork, lost: { attempt: 1, reason: 'Evicted', message: 'It was evicted.' } },
      { kind: 'obtain', attempt: 2, because: 'It was evicted.' },
    ],
    [
      'when the pod of its second attempt gave way to a waiting worker',
      {
        of: search({ attempts: 2, sessionId: 'r' }),
        lost: { attempt: 1, reason: 'Evicted', message: 'It was evicted.' },
      },
      { kind: 'obtain', attempt: 2 },
    ],
  ])('%s', (_, given, expected) => {
    expect(decided(given)).toEqual(expected)
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
    ['by its deadline before any worker was there', { after: 300_000 }, 'DeadlineExceeded', true],
    [
      'when somebody asks for its end',
      { facts: { cancelled: true }, worker: worker({ kind: 'running' }) },
      'Cancelled',
      true,
    ],
    [
      'when its worker takes too much memory',
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
      'when its worker ended well and nobody told what came of it',
      { of: atWork, after: reportPatience + 1_000, worker: worker(succeeded, { endedAt: begun + 1_000 }) },
      'NoReport',
      true,
    ],
    [
      'when its worker said that it cannot, and nobody told why',
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
      'as its worker said, where the service is silent',
      { facts: { failed: { failure, at: begun } }, after: reportPatience },
      'Robots',
      false,
    ],
    [
      'as its service says, whatever its worker said',
      {
        facts: {
          failed: { failure, at: begun },
          concluded: { failure: { ...failure, reason: 'MarketplaceRefused' } } as RunFacts['concluded'] & object,
        },
      },
      'MarketplaceRefused',
      false,
    ],
  ])('%s', (_, given, reason, isReported) => {
    const decision = decided(given)
    expect(decision).toMatchObject({ kind: 'end', desiredStatus: { phase: 'Failed', reason } })
    expect('tell' in decision).toBe(isReported)
    if (isReported) expect(decision).toMatchObject({ tell: { reason }, stops: true })
  })
})

describe('a run is complete when its service says so', () => {
  const concluded = { listingsFound: 1 } as RunFacts['concluded'] & object

  test.each<[string, Case]>([
    [
      'while its worker lingers',
      { facts: { ...started, worked: { at: begun }, concluded }, worker: worker({ kind: 'running' }) },
    ],
    ['when its worker has ended', { facts: { concluded }, worker: worker(succeeded) }],
    ['when its pod is gone', { facts: { concluded }, lost: { attempt: 2, reason: 'WorkerLost', message: 'Gone.' } }],
    ['though its deadline has passed since', { facts: { concluded }, after: 400_000 }],
  ])('%s', (_, given) => {
    expect(decided(given)).toEqual({
      kind: 'end',
      desiredStatus: { phase: 'Complete', reason: 'Finished', message: 'It found 1 listing.' },
      concluded,
      stops: false,
    })
  })

  test('and a worker that goes on with what has come to nothing is ended', () => {
    const given = {
      facts: { ...started, concluded: { failure } as typeof concluded },
      worker: worker({ kind: 'running' }),
    }
    expect(decided(given)).toMatchObject({ kind: 'end', stops: true })
  })
})

describe('a run waits', () => {
  const left = 300_000

  test.each<[string, Case, Decision]>([
    [
      'quietly while it starts',
      { worker: worker({ kind: 'starting', message: 'It is started.' }) },
      { kind: 'wait', milliseconds: startingQuietly },
    ],
    [
      'and says so when that lasts',
      { after: startingQuietly, worker: worker({ kind: 'starting', message: 'It is started.' }) },
      {
        kind: 'wait',
        milliseconds: left - startingQuietly,
        desiredStatus: { phase: 'Pending', reason: 'Starting', message: 'It is started.' },
      },
    ],
    [
      'for a claimed worker to begin',
      { after: startingQuietly, worker: worker({ kind: 'running' }, { isClaimed: true }) },
      {
        kind: 'wait',
        milliseconds: left - startingQuietly,
        desiredStatus: { phase: 'Pending', reason: 'Claimed', message: 'A waiting worker has taken it.' },
      },
    ],
    [
      'for its worker, which has begun',
      { facts: started, worker: worker({ kind: 'running' }) },
      {
        kind: 'wait',
        milliseconds: left,
        desiredStatus: { phase: 'Running', reason: 'Running', message: 'A worker searches.' },
      },
    ],
    [
      'for its worker, which has said that it has begun before its node did',
      { facts: started, worker: worker({ kind: 'starting', message: 'It is started.' }) },
      {
        kind: 'wait',
        milliseconds: left,
        desiredStatus: { phase: 'Running', reason: 'Running', message: 'A worker searches.' },
      },
    ],
    [
      'for its second worker, whatever the first one said',
      { facts: started, after: startingQuietly, worker: worker({ kind: 'running' }, { name: 'w2' }) },
      {
        kind: 'wait',
        milliseconds: left - startingQuietly,
        desiredStatus: { phase: 'Pending', reason: 'Starting', message: 'The worker waits for what it is to do.' },
      },
    ],
    [
      'for its service, quietly first',
      { of: atWork, facts: { worked: { at: begun } }, worker: worker(succeeded) },
      { kind: 'wait', milliseconds: startingQuietly },
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
      'for the last word on its failure',
      { of: atWork, facts: { failed: { failure, at: begun } }, after: 10_000 },
      { kind: 'wait', milliseconds: reportPatience - 10_000 },
    ],
    [
      'for the rest of its deadline at most',
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
  ])('%s', (_, given, expected) => {
    expect(decided(given)).toEqual(expected)
  })

  test('for its service, also where another process heard that the worker is done', () => {
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
