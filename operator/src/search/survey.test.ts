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

test('names of pods follow from the run and the attempt, and differ in both', () => {
  const names = [first, second, searchPodName(search(), 'run-b', 1)]
  expect(new Set(names).size).toBe(3)
  expect(searchPodName(search(), runId, 1)).toBe(first)
})

describe('the pods of a run', () => {
  test.each<[string, Search, Pod[], Partial<typeof nothing> | object]>([
    ['are none at first', search(), [], {}],
    ['are its own', search(), [pod(first)], { current: first }],
    ['are not those of others', search(), [pod('w', undefined, { isOurs: false })], {}],
    ['may be claimed', search({ podName: 'w', sessionId: runId }), [pod('w')], { current: 'w' }],
    [
      'are those of an earlier run while those live',
      search(),
      [pod('old', { phase: 'Running' }, { run: 'run-0' })],
      { leftovers: ['old'] },
    ],
    [
      'are not those of an earlier run that has ended',
      search(),
      [pod('old', { phase: 'Succeeded' }, { run: 'run-0' })],
      {},
    ],
    [
      'are one more where one was lost',
      search({ podName: 'w', sessionId: runId }),
      [pod('w', evicted), pod(second)],
      { current: second, lost: '1 Evicted' },
    ],
    [
      'are lost where the one that the status names is not there',
      search({ podName: 'w', sessionId: runId }),
      [],
      { lost: '1 WorkerLost', missing: 'w' },
    ],
    [
      'are lost for good where that is the second',
      search({ podName: second, sessionId: runId }),
      [],
      { lost: '2 WorkerLost', missing: second },
    ],
    [
      'are lost for good where the second was claimed',
      search({ podName: 'w', sessionId: runId, attempts: 2 }),
      [],
      { lost: '2 WorkerLost', missing: 'w' },
    ],
    [
      'are lost for good where the second was claimed and the status does not say so yet',
      search({ podName: first, sessionId: runId, attempts: 1 }),
      [pod(first, evicted), pod('w', evicted, { attempt: '2' })],
      { lost: '2 Evicted' },
    ],
    ['are not missed by a run that has not had them', search({ podName: 'w', sessionId: 'run-0' }), [], {}],
    [
      'that ended well are no loss',
      search({ podName: first, sessionId: runId }),
      [pod(first, { phase: 'Succeeded' })],
      { current: first },
    ],
    [
      'are one too many where two are at work: the one that the status names stays',
      search({ podName: 'w', sessionId: runId }),
      [pod(first), pod('w')],
      { current: 'w', surplus: [first] },
    ],
    [
      'are one too many where two are at work: else the later attempt stays',
      search(),
      [pod(first), pod(second)],
      { current: second, surplus: [first] },
    ],
  ])('%s', (_, of, pods, expected) => {
    expect(seen(of, pods)).toEqual({ ...nothing, ...expected })
  })
})
