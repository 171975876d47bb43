import { expect, test } from 'vitest'
import { createByteCache, createKeep } from './byte-cache.ts'

test('what was used is passed over once when room is made, and what was not goes', () => {
  const cache = createByteCache(300)
  const shelf = cache.shelf()
  for (const name of ['one', 'two', 'three']) shelf.set(name, name, 100)
  expect(shelf.get('one')).toBe('one')
  shelf.set('four', 'four', 100)
  expect(['one', 'two', 'three', 'four'].map((name) => shelf.get(name))).toEqual(['one', undefined, 'three', 'four'])
  expect(cache.bytes).toBe(300)
})

test('shelves share the room and not the names, and one is cleared without the other', () => {
  const cache = createByteCache(300)
  const [one, other] = [cache.shelf(), cache.shelf()]
  one.set('times', 1, 100)
  other.set('times', 2, 100)
  one.clear()
  expect([one.get('times'), other.get('times'), cache.bytes]).toEqual([undefined, 2, 100])
  other.set('texts', 3, 400)
  expect([other.get('texts'), other.get('times'), cache.bytes]).toEqual([undefined, 2, 100])
})

test('what is found for one is given to all who ask meanwhile, and when that fails each tries anew', async () => {
  const keep = createKeep(createByteCache(1_000).shelf())
  let begun = 0
  const { promise, reject } = Promise.withResolvers<{ value: string; bytes: number }>()
  const find = () => {
    begun++
    return begun === 1 ? promise : Promise.resolve({ value: 'found', bytes: 10 })
  }
  const first = keep('it', find)
  const others = Promise.all([keep('it', find), keep('it', find)])
  reject(new Error('Nobody waits for this any more.'))
  await expect(first).rejects.toThrow('Nobody waits')
  expect(await others).toEqual(['found', 'found'])
  expect(await keep('it', find)).toBe('found')
  expect(begun).toBe(2)
})
