import { expect, test } from 'vitest'
import { createMerge } from './merge-sequences.ts'

/** Items one after another; `asked` says how many were asked for. */
const sequence = (...items: string[]) => {
  const told = { asked: 0, isLeft: false }
  async function* generate() {
    try {
      for (const item of items) {
        told.asked += 1
        yield item
      }
    } finally {
      told.isLeft = true
    }
  }
  return { told, items: generate() }
}

const endless = async function* () {
  await new Promise(() => undefined)
  yield ''
}

test('items of all sequences come, those of each in their order; all ends with the last of them', async () => {
  const merge = createMerge<string>()
  void merge.add(sequence('a1', 'a2', 'a3').items)
  void merge.add(sequence('b1', 'b2').items)
  merge.close()
  const taken = await Array.fromAsync(merge.items())
  expect(taken.filter((item) => item.startsWith('a'))).toEqual(['a1', 'a2', 'a3'])
  expect(taken.filter((item) => item.startsWith('b'))).toEqual(['b1', 'b2'])
})

test('of each sequence one item waits, and the next is asked for when it was taken', async () => {
  const merge = createMerge<string>()
  const { told, items } = sequence('one', 'two', 'three')
  void merge.add(items)
  const taken = merge.items()
  expect(await taken.next()).toMatchObject({ value: 'one' })
  expect(told.asked).toBe(1)
  expect(await taken.next()).toMatchObject({ value: 'two' })
  expect(told.asked).toBe(2)
})

test('who takes no more leaves all sequences, those that wait, too', async () => {
  const merge = createMerge<string>()
  const { told, items } = sequence('one', 'two', 'three')
  const added = [merge.add(items), merge.add(sequence('waiting').items)]
  for await (const item of merge.items()) {
    expect(item).toBe('one')
    break
  }
  await Promise.all(added)
  expect(told).toEqual({ asked: 1, isLeft: true })
})

test('a sequence that fails ends all, after what waited to be taken', async () => {
  const merge = createMerge<string>()
  void merge.add(endless())
  void merge.add(
    (async function* () {
      yield 'one'
      throw new Error('broken')
    })(),
  )
  const taken = merge.items()
  expect(await taken.next()).toMatchObject({ value: 'one' })
  await expect(taken.next()).rejects.toThrow('broken')
})

test('all ends when it is told to, whoever still takes part, with what waited to be taken', async () => {
  const merge = createMerge<string>()
  void merge.add(endless())
  void merge.add(sequence('one').items).finally(merge.end)
  expect(await Array.fromAsync(merge.items())).toEqual(['one'])
})
