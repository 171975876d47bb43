import { expect, test } from 'vitest'
import { isFromObject, type RunIdSource, runIdOf, runIdPattern, runIdsOf, wasRequested } from './run-id.ts'

const uid = '0b5a2f0e-6f3f-4a57-9d2b-d0f3ad0c9c61'
const labels = { 'trellis.dev/run-id': 'session-7' }

const object = (more: Partial<RunIdSource['metadata']> = {}, status: RunIdSource['status'] = {}): RunIdSource => ({
  metadata: { name: 'a', namespace: 'default', uid, resourceVersion: '1', generation: 1, ...more },
  status,
})
const suspended = { conditions: [{ type: 'Ready', reason: 'Suspended' }] }

test('the run id of an object is the one its service assigned, otherwise derived from its uid', () => {
  expect(runIdOf(object({ labels }))).toBe('session-7')
  expect(runIdOf(object())).toBe(`obj-${uid}`)
  expect(isFromObject('session-7')).toBe(false)
  expect(isFromObject(runIdOf(object()))).toBe(true)
})

test('the run id stays the same during a run, whatever changes in the spec', () => {
  const sessionId = runIdOf(object({ generation: 2 }, suspended))
  expect(runIdOf(object({ generation: 5 }, { sessionId }))).toBe(sessionId)
})

test('a resumed object has a new run that no service requested, and is found by both ids', () => {
  const resumed = object({ labels, generation: 3 }, suspended)
  expect(runIdOf(resumed)).toBe(`obj-${uid}-3`)
  expect(wasRequested(resumed)).toBe(false)
  expect(wasRequested(object({ labels }))).toBe(true)
  expect(runIdsOf(resumed)).toEqual(['session-7', `obj-${uid}-3`])
  expect(runIdsOf(object({ labels }))).toEqual(['session-7'])
})

test.each([
  ['a', true],
  ['session-7', true],
  [`obj-${uid}-123`, true],
  ['', false],
  ['-a', false],
  ['a-', false],
  ['A', false],
  ['a.b', false],
  ['a'.repeat(60), true],
  ['a'.repeat(61), false],
])('"%s" is a valid run id: %s', (id, can) => {
  expect(runIdPattern.test(id)).toBe(can)
})
