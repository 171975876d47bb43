import { expect, test } from 'vitest'
import type { StoredEntry } from '../entries/entry.ts'
import { entryForTests } from '../scoring/security-for-tests.ts'
import type { DeletionListener, Follower } from '../threads/log-engine.ts'
import { type TailStep, tailSteps } from './frames.ts'
import { createTail, type Tail } from './tail.ts'

const parameters = { q: '', source: '', severity: '', domain: '' } as never

const open = () => {
  let publish: Follower = () => undefined
  let deleteSource: DeletionListener = () => undefined
  const tail = createTail({
    engine: {
      follow: async (follower, onDeleted) => {
        publish = follower
        deleteSource = onDeleted ?? deleteSource
        return async () => undefined
      },
    },
  })
  return {
    tail,
    publish: (missed: number, entries: readonly StoredEntry[] = []) => publish({ entries, missed, bytes: 0 }, 0),
    deleteSource: (source: string) => deleteSource(source),
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

test('a reader that resumes receives no entries of a source deleted since, but later ones and those of others', async () => {
  const { tail, publish, deleteSource } = open()
  const ending = new AbortController()
  const first = from(tail, undefined, ending.signal)
  const lastEventId = (await first.next()).value?.eventId
  const of = (sourceId: string, text: string) => {
    const entry = entryForTests(text)
    return { ...entry, origin: { ...entry.origin, sourceId } }
  }
  publish(0, [of('app:web:nginx', 'deleted with its stem'), of('attic', 'retained'), of('attic/x', 'retained, too')])
  publish(0, [of('app:web:cron', 'deleted with its stem, too')])
  deleteSource('app:web')
  publish(0, [of('app:web:nginx', 'sent again')])
  deleteSource('cellar')

  const again = from(tail, lastEventId, ending.signal)
  await again.next()
  const textsOf = async () => {
    const step: TailStep | undefined = (await again.next()).value
    return step?.followed?.indexes.map((index) => step.followed?.of[index]?.text)
  }
  expect(await textsOf()).toEqual(['retained', 'retained, too'])
  expect(await textsOf()).toEqual(['sent again'])
  ending.abort()
})
