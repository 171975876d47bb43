import { expect, test } from 'vitest'
import type { Follower } from '../threads/log-engine.ts'
import { tailSteps } from './frames.ts'
import { createTail } from './tail.ts'

const question = { q: '', source: '', severity: '', domain: '' } as never

test('who comes back with a place before the first arrival of a run is told of no gap, since nothing was missed', async () => {
  let publish: Follower = () => undefined
  const tail = createTail({
    engine: {
      follow: async (follower) => {
        publish = follower
        return async () => undefined
      },
    },
  })
  const ending = new AbortController()
  const first = tailSteps(tail, question, ending.signal)
  const lastEventId = (await first.next()).value?.eventId
  expect(lastEventId).toMatch(/\.0\.999999$/)

  const again = tailSteps(tail, { ...(question as object), lastEventId } as never, ending.signal)
  expect((await again.next()).value).toEqual({ eventId: lastEventId, event: null })
  const next = again.next()
  publish({ entries: [], missed: 3, bytes: 0 }, 0)
  expect((await next).value).toMatchObject({ event: { $case: 'gap', value: { missed: 3 } } })
  ending.abort()
})
