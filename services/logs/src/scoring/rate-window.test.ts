import { expect, test } from 'vitest'
import { addTo, createRateWindow, type RateWindow, removeOlder } from './rate-window.ts'
import { securityEventsOf } from './security-events.ts'
import { entryForTests, failed } from './security-for-tests.ts'
import { createWatchedSubjects } from './watched-subjects.ts'

const failure = (user: string, seconds: number) => {
  const [event] = securityEventsOf(entryForTests(failed(user, '192.0.2.7'), seconds))
  if (!event) throw new Error('A failed sign-in must be a event.')
  return event
}
const add = (window: RateWindow, user: string, seconds: number, attempts = 1) =>
  addTo(window, { event: failure(user, seconds), attempts, value: user })

test('the sums of a window are updated as events are added and removed', () => {
  const window = createRateWindow()
  for (const [index, user] of ['kim', 'lee', 'kim', 'ana'].entries()) add(window, user, index, index)
  expect([window.attempts, [...window.values.keys()]]).toEqual([6, ['kim', 'lee', 'ana']])
  removeOlder(window, 1_000)
  expect([window.attempts, [...window.values.keys()].toSorted()]).toEqual([6, ['ana', 'kim', 'lee']])
  removeOlder(window, 3_000)
  expect([window.attempts, [...window.values.keys()], window.counted.length]).toEqual([3, ['ana'], 1])
  removeOlder(window, 9_000)
  expect([window.attempts, window.values.size, window.counted.length]).toEqual([0, 0, 0])
})

test('a window retains its newest thousand events', () => {
  const window = createRateWindow()
  for (let index = 0; index < 1_200; index++) {
    add(window, `user${index}`, 0)
    removeOlder(window, 0)
  }
  expect([window.counted.length, window.attempts, window.values.size]).toEqual([1_000, 1_000, 1_000])
  expect(window.values.has('user199')).toBe(false)
})

test('the least recently seen of too many watched subjects are evicted', () => {
  const subjects = createWatchedSubjects(4)
  const event = failure('kim', 0)
  const see = (subject: string) => subjects.watch(subjects.of('address', event, subject), 0)
  const [first, second] = [see('first'), see('second')]
  expect([see('third'), see('second')]).toEqual([expect.anything(), second])
  see('fourth')
  see('fifth')
  expect(see('second')).toBe(second)
  expect(see('first')).not.toBe(first)
})

test('the state of a subject is separate for each rule, and for an account with the name of an address', () => {
  const subjects = createWatchedSubjects(100)
  const event = failure('kim', 0)
  const address = subjects.of('address', event, 'kim')
  expect(subjects.of('address', event, 'kim')).toBe(address)
  expect(subjects.of('user', event, 'kim')).not.toBe(address)
  expect(subjects.watch(address, 1)).not.toBe(subjects.watch(address, 2))
  expect(subjects.watch(address, 1)).toBe(subjects.watch(address, 1))
})
