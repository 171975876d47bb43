import { expect, test } from 'vitest'
import type { KubeObject } from '../objects/object.ts'
import { byLabel } from './index-by.ts'
import { type Change, createStore } from './store.ts'

type Thing = KubeObject & { spec?: { size: number } }

const thing = (name: string, version: number, more: Partial<KubeObject['metadata']> = {}): Thing => ({
  metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: String(version), ...more },
})

const watched = () => {
  const store = createStore<Thing>({ freeze: true, indexes: { app: byLabel('app') } })
  const reported: string[] = []
  store.onChange(({ type, object, initial }: Change<Thing>) => {
    reported.push(`${type} ${object.metadata.uid}@${object.metadata.resourceVersion}${initial ? ' initial' : ''}`)
  })
  return { store, reported }
}

test('an older or equal version changes nothing, also across digit counts', () => {
  const { store, reported } = watched()
  store.put(thing('a', 10))
  store.put(thing('a', 9))
  store.put(thing('a', 10))
  store.put(thing('a', 11))
  expect(reported).toEqual(['added uid-a@10', 'changed uid-a@11'])
})

test('a late event does not resurrect an object that a watch or a list deleted', () => {
  const { store, reported } = watched()
  store.put(thing('a', 10))
  store.put(thing('b', 11))
  store.remove(thing('a', 12))
  store.put(thing('a', 11))
  store.replace({ objects: [], version: '20', initial: false })
  store.put(thing('b', 19))
  expect(store.size).toBe(0)
  expect(reported.slice(2)).toEqual(['deleted uid-a@12', 'deleted uid-b@11'])
})

test('an object that leaves a selection and returns is stored again', () => {
  const { store } = watched()
  store.put(thing('a', 10))
  store.remove(thing('a', 12))
  store.put(thing('a', 13))
  expect(store.get('default/a')?.metadata.resourceVersion).toBe('13')
})

test('an object recreated under the same name is reported as deleted and added', () => {
  const { store, reported } = watched()
  store.put(thing('a', 10))
  store.put(thing('a', 15, { uid: 'uid-young' }))
  store.remove(thing('a', 14))
  expect(reported).toEqual(['added uid-a@10', 'deleted uid-a@10', 'added uid-young@15'])
  expect(store.get('default/a')?.metadata.uid).toBe('uid-young')
})

test('a list reports only differences, and their number', () => {
  const { store, reported } = watched()
  expect(store.replace({ objects: [thing('a', 1), thing('b', 2)], version: '5', initial: true })).toBe(2)
  expect(store.replace({ objects: [thing('a', 1), thing('c', 6)], version: '7', initial: false })).toBe(2)
  expect(reported).toEqual(['added uid-a@1 initial', 'added uid-b@2 initial', 'deleted uid-b@2', 'added uid-c@6'])
})

test('a list of one namespace leaves other namespaces unchanged', () => {
  const { store, reported } = watched()
  const replace = (namespace: string, objects: Thing[]) =>
    store.replace({ objects, version: '20', initial: false, namespace })
  expect(replace('default', [thing('a', 1)])).toBe(1)
  expect(replace('other', [thing('b', 2, { namespace: 'other' })])).toBe(1)
  expect(replace('default', [])).toBe(1)
  expect(reported).toEqual(['added uid-a@1', 'added uid-b@2', 'deleted uid-a@1'])
})

test('indexes by namespace, owner and label follow the objects', () => {
  const { store } = watched()
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Owner', name: 'o', uid: 'uid-o' }]
  store.put(thing('a', 1, { ownerReferences, labels: { app: 'x' } }))
  store.put(thing('b', 2, { ownerReferences, namespace: 'other' }))
  const names = (index: string, value: string) => store.by(index, value).map(({ metadata }) => metadata.name)
  expect([names('owner', 'uid-o'), names('namespace', 'other'), names('app', 'x')]).toEqual([['a', 'b'], ['b'], ['a']])
  store.put(thing('a', 3, { labels: { app: 'y' } }))
  store.remove(thing('b', 4, { namespace: 'other' }))
  expect([names('owner', 'uid-o'), names('app', 'x'), names('app', 'y')]).toEqual([[], [], ['a']])
  expect(() => store.by('colour', 'red')).toThrow('no index colour')
})

test('an index finds all objects under a value while they come and go', () => {
  const { store } = watched()
  const shown = () => store.by('app', 'x').map(({ metadata }) => metadata.name)
  const seen: string[][] = []
  const note = () => void seen.push(shown())
  for (const [at, name] of ['a', 'b', 'c'].entries()) {
    store.put(thing(name, at + 1, { labels: { app: 'x' } }))
    note()
  }
  // An object that stays under its value does not appear twice.
  store.put(thing('b', 4, { labels: { app: 'x' } }))
  note()
  for (const [at, name] of ['a', 'b', 'c'].entries()) {
    store.remove(thing(name, at + 5, { labels: { app: 'x' } }))
    note()
  }
  expect(seen.map((names) => names.join(''))).toEqual(['a', 'ab', 'abc', 'acb', 'cb', 'c', ''])
})

test('a write is shown at once, reduced as by the reflector, and its event and older ones change nothing', () => {
  const store = createStore<Thing>({ transform: ({ metadata }) => ({ metadata, spec: { size: 1 } }) })
  const reported: string[] = []
  store.put(thing('a', 10))
  store.onChange(({ object }) => reported.push(object.metadata.resourceVersion))
  store.wrote(thing('a', 12))
  expect(store.get('default/a')).toMatchObject({ metadata: { resourceVersion: '12' }, spec: { size: 1 } })
  store.put(thing('a', 11))
  store.put(thing('a', 12))
  expect(reported).toEqual(['12'])
})

test('the response to a write resurrects no object that is gone, and replaces no newer one', () => {
  const { store } = watched()
  store.put(thing('a', 10))
  store.put(thing('a', 15, { uid: 'uid-young' }))
  store.wrote(thing('a', 12))
  store.wrote(thing('a', 14, { uid: 'uid-young' }))
  expect(store.get('default/a')?.metadata).toMatchObject({ uid: 'uid-young', resourceVersion: '15' })
  store.remove(thing('a', 16, { uid: 'uid-young' }))
  store.wrote(thing('a', 15, { uid: 'uid-young' }))
  store.wrote(thing('b', 20))
  expect(store.size).toBe(0)
})

test('cached objects are immutable', () => {
  const { store } = watched()
  store.put(thing('a', 1, { labels: { app: 'x' } }))
  const labels = store.get('default/a')?.metadata.labels as Record<string, string>
  expect(() => {
    labels.app = 'y'
  }).toThrow(TypeError)
})

test('a handler that throws affects neither the store nor other handlers', () => {
  const errors: unknown[] = []
  const store = createStore<Thing>({ onHandlerError: (error) => errors.push(error) })
  let seen = 0
  store.onChange(() => {
    throw new Error('boom')
  })
  const leave = store.onChange(() => (seen += 1))
  store.put(thing('a', 1))
  leave()
  store.put(thing('a', 2))
  expect([seen, errors.length, store.size]).toEqual([1, 2, 1])
})
