import { expect, test } from 'vitest'
import type { StoredEntry } from '../entries/entry.ts'
import { entryForTests } from '../scoring/security-for-tests.ts'
import type { Follower } from '../threads/log-engine.ts'
import { tailSteps } from './frames.ts'
import { createTail, type Tail } from './tail.ts'

const parameters = { q: '', source: '', severity: '', domain: '' } as never

const open = () => {
  let publish: Follower = () => undefined
  const tail = createTail({
    engine: {
      follow: async (follower) => {
        publish = follower
        return async () => undefined
      },
    },
  })
  return {
    tail,
    publish: (missed: number, entries: readonly StoredEntry[] = []) => publish({ entries, missed, bytes: 0 }, 0),
  }
}
const from = (tail: Tail, lastEventId: string | undefined, signal: AbortSignal) =>
  tailSteps(tail, { ...(parameters as object), lastEventId } as never, signal)

test('a reader that resumes after a gap does not receive it again, but receives the next', async () => {
  const { tail, publish } = open()
  const ending = new AbortController()
  const first = from(tail, undefined, ending.signal)
  await first.next()
  const frame = first.next()
  publish(3)
  const { value } = await frame
  expect(value).toMatchObject({ eventId: expect.stringMatching(/\.1\.999999$/), event: { $case: 'gap' } })
  const again = from(tail, value?.eventId, ending.signal)
  expect((await again.next()).value).toEqual({ eventId: value?.eventId, event: null })
  const next = again.next()
  publish(5)
  expect((await next).value).toMatchObject({
    eventId: expect.stringMatching(/\.2\.999999$/),
    event: { $case: 'gap', value: { missed: 5 } },
  })
  ending.abort()
})

test('a reset states the position at which the reader continues, and no frame before it does', async () => {
  const { tail, publish } = open()
  const ending = new AbortController()
  const lost = from(tail, 'from-another-life', ending.signal)
  expect((await lost.next()).value).toEqual({ eventId: '', event: null })
  const { value } = await lost.next()
  expect(value).toMatchObject({ eventId: expect.stringMatching(/\.0\.999999$/), event: { $case: 'reset' } })
  const again = from(tail, value?.eventId, ending.signal)
  expect((await again.next()).value).toEqual({ eventId: value?.eventId, event: null })
  const next = again.next()
  publish(2)
  expect((await next).value).toMatchObject({ event: { $case: 'gap', value: { missed: 2 } } })
  ending.abort()
})

test('a reader that resumes before the first arrival of a run receives no gap, since nothing was missed', async () => {
  const { tail, publish } = open()
  const ending = new AbortController()
  const first = from(tail, undefined, ending.signal)
  const lastEventId = (await first.next()).value?.eventId
  expect(lastEventId).toMatch(/\.0\.999999$/)

  const again = from(tail, lastEventId, ending.signal)
  expect((await again.next()).value).toEqual({ eventId: lastEventId, event: null })
  const next = again.next()
  publish(3)
  expect((await next).value).toMatchObject({ event: { $case: 'gap', value: { missed: 3 } } })
  ending.abort()
})

test('missed entries are older than the others of their batch, so the gap comes before them, and once', async () => {
  const { tail, publish } = open()
  const ending = new AbortController()
  const first = from(tail, undefined, ending.signal)
  await first.next()
  const frames = [first.next(), first.next()]
  const entry = entryForTests('the newest of its batch')
  publish(3, [entry])
  expect((await frames[0])?.value).toMatchObject({ eventId: '', event: { $case: 'gap', value: { missed: 3 } } })
  const { value: shown } = (await frames[1]) ?? {}
  expect(shown).toMatchObject({ eventId: expect.stringMatching(/\.1\.1$/), followed: { of: [entry], indexes: [0] } })

  const again = from(tail, shown?.eventId, ending.signal)
  await again.next()
  const next = again.next()
  publish(1)
  expect((await next).value).toMatchObject({ event: { $case: 'gap', value: { missed: 1 } } })
  ending.abort()
})
