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
] as const)('a run that is %s for %s says so in its conditions', (phase, reason, expected) => {
  const status = runStatus(object(), { phase, reason, message: 'So it is.' }, now)
  expect(summary(status)).toEqual(expected)
  expect(status).toMatchObject({ observedGeneration: 4, phase })
  expect(status.conditions?.map((condition) => condition.observedGeneration)).toEqual(status.conditions?.map(() => 4))
  const hasEnded = phase === 'Complete' || phase === 'Failed'
  expect(status.completionTime).toBe(hasEnded ? at : undefined)
  expect(isFinished({ status })).toBe(hasEnded)
})

test('a status that says it already is not written again', () => {
  const desiredStatus = { phase: 'Running', reason: 'Running', message: 'It is at work.' } as const
  const held = { ...runStatus(object(), desiredStatus, now), podName: 'w' }
  expect(statusChanges(held, runStatus(object(held), desiredStatus, now + 60_000))).toBeUndefined()
})

describe('the changes of a status', () => {
  test.each([
    ['what is new', {}, { podName: 'w' }, { podName: 'w' }],
    ['what differs alone', { podName: 'v', phase: 'Pending' }, { podName: 'w', phase: 'Pending' }, { podName: 'w' }],
    ['what is to go', { podName: 'w' }, { podName: null }, { podName: null }],
    ['not what is gone already', {}, { podName: null }, undefined],
    ['not what nothing is said of', { podName: 'w' }, {}, undefined],
  ] as [string, RunStatus, object, object | undefined][])('say %s', (_, held, desired, changes) => {
    expect(statusChanges(held, desired)).toEqual(changes)
  })
})

test('times are reckoned from a time in the status, and have passed at the earliest when so many seconds have', () => {
  expect(millisecondsUntil(at, 300, now)).toBe(299_250)
  expect(millisecondsUntil(Date.parse(at), 0, now)).toBe(0)
  const spec = { ttlSecondsAfterFinished: 60 }
  expect(expiresIn({ status: { completionTime: at }, spec }, now)).toBe(59_250)
  expect(expiresIn({ status: {}, spec }, now)).toBeUndefined()
})
