import { describe, expect, test } from 'vitest'
import { expiresIn, isFinished, millisecondsUntil, type RunStatus, runStatus, statusChanges } from './run-status.ts'

const now = Date.parse('2026-03-01T09:15:02.750Z')
const at = '2026-03-01T09:15:02Z'

const object = (status: RunStatus = { observedGeneration: -1 }) => ({ metadata: { generation: 4 }, status })
const summary = ({ conditions = [] }: RunStatus) =>
  Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]))

test.each([
  ['Pending', 'Starting', { Ready: 'False Starting', Reconciling: 'True Starting', Stalled: 'False Starting' }],
  ['Running', 'Running', { Ready: 'False Running', Reconciling: 'True Running', Stalled: 'False Running' }],
  [
    'Complete',
    'Finished',
    { Ready: 'True Finished', Reconciling: 'False Finished', Stalled: 'False Finished', Complete: 'True Finished' },
  ],
  [
    'Failed',
    'OOMKilled',
    { Ready: 'False OOMKilled', Reconciling: 'False OOMKilled', Stalled: 'True OOMKilled', Failed: 'True OOMKilled' },
  ],
] as const)('a run that is %s for %s has matching conditions', (phase, reason, expected) => {
  const status = runStatus(object(), { phase, reason, message: 'A message.' }, now)
  expect(summary(status)).toEqual(expected)
  expect(status).toMatchObject({ observedGeneration: 4, phase })
  expect(status.conditions?.map((condition) => condition.observedGeneration)).toEqual(status.conditions?.map(() => 4))
  const hasEnded = phase === 'Complete' || phase === 'Failed'
  expect(status.completionTime).toBe(hasEnded ? at : undefined)
  expect(isFinished({ status })).toBe(hasEnded)
})

test('a condition that lasts is as of the same generation as the others', () => {
  const fallback = {
    type: 'GPUFallback',
    status: 'True',
    reason: 'GPUFallback',
    message: 'No node offers a GPU.',
  } as const
  const conditions = [{ ...fallback, observedGeneration: 3, lastTransitionTime: '2026-03-01T09:00:00Z' }]
  const desiredStatus = { phase: 'Complete', reason: 'Finished', message: 'It is done.' } as const
  const status = runStatus(object({ conditions }), desiredStatus, now)
  expect(status.conditions?.[0]).toEqual({ ...conditions[0], observedGeneration: 4 })
})

test('an unchanged status is not written again', () => {
  const desiredStatus = { phase: 'Running', reason: 'Running', message: 'It is at work.' } as const
  const held = { ...runStatus(object(), desiredStatus, now), podName: 'w' }
  expect(statusChanges(held, runStatus(object(held), desiredStatus, now + 60_000))).toBeUndefined()
})

describe('the changes of a status contain', () => {
  test.each([
    ['new fields', {}, { podName: 'w' }, { podName: 'w' }],
    [
      'only fields that differ',
      { podName: 'v', phase: 'Pending' },
      { podName: 'w', phase: 'Pending' },
      { podName: 'w' },
    ],
    ['fields to remove', { podName: 'w' }, { podName: null }, { podName: null }],
    ['no field that is already absent', {}, { podName: null }, undefined],
    ['no field that the desired status omits', { podName: 'w' }, {}, undefined],
  ] as [string, RunStatus, object, object | undefined][])('%s', (_, held, desired, changes) => {
    expect(statusChanges(held, desired)).toEqual(changes)
  })
})

test('durations count from a time in the status and never end early', () => {
  expect(millisecondsUntil(at, 300, now)).toBe(299_250)
  expect(millisecondsUntil(Date.parse(at), 0, now)).toBe(0)
  const spec = { ttlSecondsAfterFinished: 60 }
  expect(expiresIn({ status: { completionTime: at }, spec }, now)).toBe(59_250)
  expect(expiresIn({ status: {}, spec }, now)).toBeUndefined()
})
