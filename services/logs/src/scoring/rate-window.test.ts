import { expect, test } from 'vitest'
import { happeningsOf } from './happenings.ts'
import { addTo, createRateWindow, leaveBehind, type RateWindow } from './rate-window.ts'
import { entryForTests, failed } from './security-for-tests.ts'
import { createWatchedSubjects } from './watched-subjects.ts'

const failure = (user: string, seconds: number) => {
  const [happening] = happeningsOf(entryForTests(failed(user, '192.0.2.7'), seconds))
  if (!happening) throw new Error('A failed sign-in is no happening any more.')
  return happening
}
const add = (window: RateWindow, user: string, seconds: number, attempts = 1) =>
  addTo(window, { happening: failure(user, seconds), attempts, value: user })

test('sums of a window are those of what is in it, as it comes and goes', () => {
  const window = createRateWindow()
  for (const [index, user] of ['kim', 'lee', 'kim', 'ana'].entries()) add(window, user, index, index)
  expect([window.attempts, [...window.values.keys()]]).toEqual([6, ['kim', 'lee', 'ana']])
  leaveBehind(window, 1_000)
  expect([window.attempts, [...window.values.keys()].toSorted()]).toEqual([6, ['ana', 'kim', 'lee']])
  leaveBehind(window, 3_000)
  expect([window.attempts, [...window.values.keys()], window.counted.length]).toEqual([3, ['ana'], 1])
  leaveBehind(window, 9_000)
  expect([window.attempts, window.values.size, window.counted.length]).toEqual([0, 0, 0])
})

test('of a flood in one window the newest thousand are kept', () => {
  const window = createRateWindow()
  for (let index = 0; index < 1_200; index++) {
    add(window, `user${index}`, 0)
    leaveBehind(window, 0)
  }
  expect([window.counted.length, window.attempts, window.values.size]).toEqual([1_000, 1_000, 1_000])
  expect(window.values.has('user199')).toBe(false)
})

test('of more subjects than may be watched the longest unseen are forgotten', () => {
  const subjects = createWatchedSubjects(4)
  const happening = failure('kim', 0)
  const see = (subject: string) => subjects.watch(subjects.of('address', happening, subject), 0)
  const [first, second] = [see('first'), see('second')]
  expect([see('third'), see('second')]).toEqual([expect.anything(), second])
  see('fourth')
  see('fifth')
  expect(see('second')).toBe(second)
  expect(see('first')).not.toBe(first)
})

test('a rule knows nothing of what another one knows of the same subject, nor of an account by the name of an address', () => {
  const subjects = createWatchedSubjects(100)
  const happening = failure('kim', 0)
  const address = subjects.of('address', happening, 'kim')
  expect(subjects.of('address', happening, 'kim')).toBe(address)
  expect(subjects.of('user', happening, 'kim')).not.toBe(address)
  expect(subjects.watch(address, 1)).not.toBe(subjects.watch(address, 2))
  expect(subjects.watch(address, 1)).toBe(subjects.watch(address, 1))
})
