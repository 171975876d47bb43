import { expect, test } from 'vitest'
import { createByteCache, createMemoizer } from './byte-cache.ts'

test('eviction spares used values once and removes unused ones', () => {
  const cache = createByteCache(300)
  const shelf = cache.shelf()
  for (const name of ['one', 'two', 'three']) shelf.set(name, name, 100)
  expect(shelf.get('one')).toBe('one')
  shelf.set('four', 'four', 100)
  expect(['one', 'two', 'three', 'four'].map((name) => shelf.get(name))).toEqual(['one', undefined, 'three', 'four'])
  expect(cache.bytes).toBe(300)
})

test('shelves share the size limit but not the names, and are cleared separately', () => {
  const cache = createByteCache(300)
  const [one, other] = [cache.shelf(), cache.shelf()]
  one.set('times', 1, 100)
  other.set('times', 2, 100)
  one.clear()
  expect([one.get('times'), other.get('times'), cache.bytes]).toEqual([undefined, 2, 100])
  other.set('texts', 3, 400)
  expect([other.get('texts'), other.get('times'), cache.bytes]).toEqual([undefined, 2, 100])
})

test('concurrent callers share one computation, and retry if it fails', async () => {
  const memoize = createMemoizer(createByteCache(1_000).shelf())
  let begun = 0
  const { promise, reject } = Promise.withResolvers<{ value: string; bytes: number }>()
  const find = () => {
    begun++
    return begun === 1 ? promise : Promise.resolve({ value: 'found', bytes: 10 })
  }
  const first = memoize('it', find)
  const others = Promise.all([memoize('it', find), memoize('it', find)])
  reject(new Error('The caller has disconnected.'))
  await expect(first).rejects.toThrow('caller has disconnected')
  expect(await others).toEqual(['found', 'found'])
  expect(await memoize('it', find)).toBe('found')
  expect(begun).toBe(2)
})
