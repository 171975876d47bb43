import { describe, expect, test } from 'vitest'
import type { Search } from '../crds/mod.ts'
import type { Pod } from '../workers/mod.ts'
import { searchPodName } from './pod.ts'
import { survey } from './survey.ts'

const runId = 'run-a'

const search = (status: Partial<Search['status']> = {}): Search => ({
  metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '1', generation: 1 },
  spec: { query: 'thinkpad' } as Search['spec'],
  status: { observedGeneration: -1, ...status } as Search['status'],
})

const [first, second] = [1, 2].map((attempt) => searchPodName(search(), runId, attempt)) as [string, string]

const pod = (
  name: string,
  status: Pod['status'] = { phase: 'Running' },
  { run = runId, isOurs = true, attempt = '' } = {},
): Pod => ({
  metadata: {
    name,
    namespace: 'default',
    uid: `uid-${name}`,
    resourceVersion: '1',
    labels: { 'trellis.dev/run-id': run },
    ...(attempt ? { annotations: { 'trellis.dev/run-attempt': attempt } } : {}),
    ownerReferences: [{ apiVersion: 'v1', kind: 'Search', name: 'a', uid: isOurs ? 'u' : 'other', controller: true }],
  },
  status: status ?? {},
})
const evicted = { phase: 'Failed', reason: 'Evicted', message: 'memory' } as const

const seen = (of: Search, pods: Pod[]) => {
  const { current, surplus, leftovers, lost, missing } = survey(of, runId, pods)
  const names = (list: readonly Pod[]) => list.map(({ metadata }) => metadata.name)
  return {
    current: current?.pod.metadata.name,
    surplus: names(surplus),
    leftovers: names(leftovers),
    lost: lost && `${lost.attempt} ${lost.reason}`,
    missing,
  }
}
const nothing = { current: undefined, surplus: [], leftovers: [], lost: undefined, missing: undefined }

test('pod names are determined by run and attempt, and differ in both', () => {
  const names = [first, second, searchPodName(search(), 'run-b', 1)]
  expect(new Set(names).size).toBe(3)
  expect(searchPodName(search(), runId, 1)).toBe(first)
})

describe('the pods of a run', () => {
  test.each<[string, Search, Pod[], Partial<typeof nothing> | object]>([
    ['are none initially', search(), [], {}],
    ['include its own', search(), [pod(first)], { current: first }],
    ['exclude those of other owners', search(), [pod('w', undefined, { isOurs: false })], {}],
    ['include a claimed one', search({ podName: 'w', sessionId: runId }), [pod('w')], { current: 'w' }],
    [
      'include live ones of an earlier run as leftovers',
      search(),
      [pod('old', { phase: 'Running' }, { run: 'run-0' })],
      { leftovers: ['old'] },
    ],
    ['exclude ended ones of an earlier run', search(), [pod('old', { phase: 'Succeeded' }, { run: 'run-0' })], {}],
    [
      'include a replacement and its lost predecessor',
      search({ podName: 'w', sessionId: runId }),
      [pod('w', evicted), pod(second)],
      { current: second, lost: '1 Evicted' },
    ],
    [
      'include a loss if the pod named by the status is missing',
      search({ podName: 'w', sessionId: runId }),
      [],
      { lost: '1 WorkerLost', missing: 'w' },
    ],
    [
      'include the second loss if that pod was the second',
      search({ podName: second, sessionId: runId }),
      [],
      { lost: '2 WorkerLost', missing: second },
    ],
    [
      'include the second loss if the second was claimed',
      search({ podName: 'w', sessionId: runId, attempts: 2 }),
      [],
      { lost: '2 WorkerLost', missing: 'w' },
    ],
    [
      'include the second loss if the second was claimed and the status lags',
      search({ podName: first, sessionId: runId, attempts: 1 }),
      [pod(first, evicted), pod('w', evicted, { attempt: '2' })],
      { lost: '2 Evicted' },
    ],
    ['are not missing from a run that never had them', search({ podName: 'w', sessionId: 'run-0' }), [], {}],
    [
      'are not lost if they succeeded',
      search({ podName: first, sessionId: runId }),
      [pod(first, { phase: 'Succeeded' })],
      { current: first },
    ],
    [
      'are surplus beyond the one that the status names',
      search({ podName: 'w', sessionId: runId }),
      [pod(first), pod('w')],
      { current: 'w', surplus: [first] },
    ],
    [
      'are surplus beyond the latest attempt otherwise',
      search(),
      [pod(first), pod(second)],
      { current: second, surplus: [first] },
    ],
  ])('%s', (_, of, pods, expected) => {
    expect(seen(of, pods)).toEqual({ ...nothing, ...expected })
  })
})
