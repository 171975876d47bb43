import { expect, test } from 'vitest'
import { systemClock } from '../runtime/mod.ts'
import { createRunMemories } from './memory.ts'
import { startingQuietly } from './waiting.ts'

const object = (uid: string) => ({ metadata: { name: uid, uid } }) as never

test('runs that are accepted together are shown as starting one after the other, and others after the usual time', () => {
  let now = 1_000_000
  const memories = createRunMemories({ ...systemClock, now: () => now })
  const quietFor = (uid: string) => memories.of(object(uid), uid).quietUntil - now
  const burst = Array.from({ length: 1_000 }, (_, index) => quietFor(`burst-${index}`))
  expect(burst.slice(0, 3)).toEqual([startingQuietly, startingQuietly + 100, startingQuietly + 200])
  expect(burst.at(-1)).toBe(30_000)
  now += 10_000
  expect(quietFor('after the burst')).toBe(20_100)
  now += 30_000
  expect(quietFor('later')).toBe(startingQuietly)
  now += 150
  expect(quietFor('soon after')).toBe(startingQuietly)
  expect(memories.of(object('later'), 'later').quietUntil - now).toBe(startingQuietly - 150)
})
