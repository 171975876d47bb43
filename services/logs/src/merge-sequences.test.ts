import { expect, test } from 'vitest'
import { createMerge } from './merge-sequences.ts'

/** A sequence of items; `observed.requested` counts the items that were requested from it. */
const sequence = (...items: string[]) => {
  const observed = { requested: 0, isLeft: false }
  async function* generate() {
    try {
      for (const item of items) {
        observed.requested += 1
        yield item
      }
    } finally {
      observed.isLeft = true
    }
  }
  return { observed, items: generate() }
}

const endless = async function* () {
  await new Promise(() => undefined)
  yield ''
}

test('the merge yields the items of all sequences, each in its order, and ends with the last sequence', async () => {
  const merge = createMerge<string>()
  void merge.add(sequence('a1', 'a2', 'a3').items)
  void merge.add(sequence('b1', 'b2').items)
  merge.close()
  const taken = await Array.fromAsync(merge.items())
  expect(taken.filter((item) => item.startsWith('a'))).toEqual(['a1', 'a2', 'a3'])
  expect(taken.filter((item) => item.startsWith('b'))).toEqual(['b1', 'b2'])
})

test('one item of each sequence waits; the next is requested when it was taken', async () => {
  const merge = createMerge<string>()
  const { observed, items } = sequence('one', 'two', 'three')
  void merge.add(items)
  const taken = merge.items()
  expect(await taken.next()).toMatchObject({ value: 'one' })
  expect(observed.requested).toBe(1)
  expect(await taken.next()).toMatchObject({ value: 'two' })
  expect(observed.requested).toBe(2)
})

test('a consumer that stops closes all sequences, including waiting ones', async () => {
  const merge = createMerge<string>()
  const { observed, items } = sequence('one', 'two', 'three')
  const added = [merge.add(items), merge.add(sequence('waiting').items)]
  for await (const item of merge.items()) {
    expect(item).toBe('one')
    break
  }
  await Promise.all(added)
  expect(observed).toEqual({ requested: 1, isLeft: true })
})

test('a failing sequence ends the merge after the waiting items', async () => {
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

test('end() ends the merge after the waiting items, even with open sequences', async () => {
  const merge = createMerge<string>()
  void merge.add(endless())
  void merge.add(sequence('one').items).finally(merge.end)
  expect(await Array.fromAsync(merge.items())).toEqual(['one'])
})
