import { expect, test } from 'vitest'
import { type Condition, mergeConditions, progressConditions } from './conditions.ts'
import { microTime, secondsTime } from './micro-time.ts'
import { deterministicName } from './names.ts'
import { compareVersions, type KubeObject, keyOf, refOf } from './object.ts'
import { ownerReference, toController } from './owners.ts'
import { leases, pathOf, resource } from './resource.ts'

test('MicroTime has six fractional digits, and Time has none', () => {
  expect(microTime(Date.UTC(2030, 0, 2, 3, 4, 5, 67))).toBe('2030-01-02T03:04:05.067000Z')
  expect(secondsTime(Date.UTC(2030, 0, 2, 3, 4, 5, 67))).toBe('2030-01-02T03:04:05Z')
})

test.each([
  ['9', '10', -1],
  ['10', '9', 1],
  ['18446744073709551615', '18446744073709551614', 1],
  ['7', '7', 0],
])('comparing versions %s and %s has sign %i', (a, b, sign) => {
  expect(Math.sign(compareVersions(a, b))).toBe(sign)
})

test('a name is determined by its parts, differs with each, and is a valid DNS label', () => {
  const name = deterministicName(['Search', 'uid', '0'])
  expect(name).toBe(deterministicName(['Search', 'uid', '0']))
  expect(
    new Set(
      [
        ['Search', 'uid', '1'],
        ['Search', 'uid0', ''],
        ['Search', 'ui', 'd0'],
      ].map((parts) => deterministicName(parts as [string])),
    ).size,
  ).toBe(3)
  for (const first of [
    'x'.repeat(300),
    '9-lives',
    '---',
    '',
    'Ünïcode name',
    'a.b_c',
    `${'a'.repeat(51)}-${'b'.repeat(20)}`,
  ])
    for (const limit of [63, 40, 20]) {
      const made = deterministicName([first, 'more'], limit)
      expect(made).toMatch(/^[a-z]([-a-z0-9]*[a-z0-9])?$/)
      expect(made.length).toBeLessThanOrEqual(limit)
      expect(made).not.toContain('--')
    }
})

test('a condition retains its last transition time until its status changes', () => {
  const noon = Date.UTC(2030, 0, 1, 12)
  const ready = {
    type: 'Ready',
    status: 'False',
    reason: 'Starting',
    message: 'Starts.',
    observedGeneration: 1,
  } as const
  const first = mergeConditions([], [ready], noon)
  expect(mergeConditions(first, [{ ...ready }], noon + 5_000)).toBe(first)
  const reworded = mergeConditions(first, [{ ...ready, message: 'Still starts.' }], noon + 5_000)
  expect(reworded[0]).toMatchObject({ message: 'Still starts.', lastTransitionTime: '2030-01-01T12:00:00Z' })
  const turned = mergeConditions(reworded, [{ ...ready, status: 'True', reason: 'Started' }], noon + 9_000)
  expect(turned[0]).toMatchObject({ status: 'True', lastTransitionTime: '2030-01-01T12:00:09Z' })
})

test('conditions of other controllers stay unchanged and in order', () => {
  const foreign: Condition = { type: 'Other', status: 'True', reason: 'X', message: '', lastTransitionTime: 'then' }
  const states = progressConditions('working', { reason: 'Starting', message: 'Starts.', observedGeneration: 3 })
  const merged = mergeConditions([foreign], states, 0)
  expect(merged[0]).toBe(foreign)
  expect(merged.slice(1).map(({ type, status }) => `${type}=${status}`)).toEqual([
    'Ready=False',
    'Reconciling=True',
    'Stalled=False',
  ])
})

const widgets = resource({ group: 'example.test', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true })

test('a change maps to the current and previous controller of that kind only', () => {
  const owner = { metadata: { name: 'w', namespace: 'ns', uid: 'u', resourceVersion: '1' } }
  const owned = (references: KubeObject['metadata']['ownerReferences']): KubeObject => ({
    metadata: {
      name: 'c',
      namespace: 'ns',
      uid: 'c',
      resourceVersion: '2',
      ...(references && { ownerReferences: references }),
    },
  })
  const reference = ownerReference(widgets, owner)
  const map = toController(widgets)
  const object = owned([{ ...reference, name: 'v' }])
  expect(map({ type: 'changed', object, previous: owned([reference]), initial: false })).toEqual(['ns/v', 'ns/w'])
  for (const other of [
    { ...reference, controller: false },
    { ...reference, kind: 'Gadget' },
    { ...reference, apiVersion: 'other.test/v1' },
  ])
    expect(map({ type: 'added', object: owned([other]), initial: false })).toEqual([])
})

test('keys and paths identify an object', () => {
  expect(refOf(keyOf({ namespace: 'ns', name: 'a' }))).toEqual({ namespace: 'ns', name: 'a' })
  expect(refOf(keyOf({ name: 'a' }))).toEqual({ name: 'a' })
  expect(pathOf(leases, { namespace: 'ns', name: 'a', subresource: 'status' })).toBe(
    '/apis/coordination.k8s.io/v1/namespaces/ns/leases/a/status',
  )
  expect(pathOf(leases)).toBe('/apis/coordination.k8s.io/v1/leases')
  expect(() => pathOf(leases, { name: 'a' })).toThrow('needs a namespace')
})
