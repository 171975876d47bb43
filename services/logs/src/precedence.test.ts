import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createPrecedence } from './precedence.ts'

/** Whether a promise is settled once everything else has had its turn. */
const isSettled = async (promise: Promise<void>): Promise<boolean> => {
  let settled = false
  void promise.then(() => {
    settled = true
  })
  await setImmediate()
  return settled
}

test('what nobody has asked for waits for what somebody has, and goes on when that is done', async () => {
  const precedence = createPrecedence()
  const asked = precedence.begin('asked')
  const gathered = precedence.begin('gathered')
  const unasked = precedence.begin('unasked')
  const first = gathered.ready()
  const second = unasked.ready()
  expect(await isSettled(first)).toBe(false)
  asked[Symbol.dispose]()
  expect(await isSettled(first)).toBe(true)
  expect(await isSettled(second)).toBe(false)
  gathered[Symbol.dispose]()
  expect(await isSettled(second)).toBe(true)
})

test('who has nobody to wait for goes on at once', async () => {
  const precedence = createPrecedence()
  using _other = precedence.begin('asked')
  using asked = precedence.begin('asked')
  using _less = precedence.begin('unasked')
  expect(await isSettled(asked.ready())).toBe(true)
})

test('what is asked for without an end holds nobody up for good', async () => {
  const precedence = createPrecedence()
  using _asked = precedence.begin('asked')
  using unasked = precedence.begin('unasked')
  await unasked.ready()
  await precedence.afterAsked(1)
})

test('several that wait go on in the order in which they came', async () => {
  const precedence = createPrecedence()
  const order: number[] = []
  const asked = precedence.begin('asked')
  const all = [1, 2, 3].map((number) => precedence.afterAsked(10_000).then(() => order.push(number)))
  asked[Symbol.dispose]()
  await Promise.all(all)
  expect(order).toEqual([1, 2, 3])
})
