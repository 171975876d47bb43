import { serviceError } from '@trellis/kit/errors'
import { expect, test } from 'vitest'
import { resume } from './resume.ts'

/** A service with scripted outcomes, one per opening: messages, then optionally an error. */
const serviceOf = (...outcomes: { ids: string[]; error?: Error }[]) => {
  const requested: (string | undefined)[] = []
  return {
    requested,
    open: async function* (lastEventId: string | undefined) {
      requested.push(lastEventId)
      const { ids, error } = outcomes[requested.length - 1] ?? { ids: [] }
      for (const id of ids) yield { id }
      if (error) throw error
    },
  }
}
const idOf = ({ id }: Record<string, unknown>) => id as string
const { signal } = new AbortController()
const lost = () => serviceError('unavailable', 'The replica is gone.')
const idsOf = async (open: ReturnType<typeof serviceOf>['open']) =>
  (await Array.fromAsync(resume({ open, idOf, signal }))).map(idOf)

test('a stream whose replica is lost resumes behind the last event, or restarts if it had no event', async () => {
  const service = serviceOf({ ids: [], error: lost() }, { ids: ['1', '2'], error: lost() }, { ids: ['3'] })
  expect(await idsOf(service.open)).toEqual(['1', '2', '3'])
  expect(service.requested).toEqual([undefined, undefined, '2'])
})

test('a stream without a first message fails after three openings', async () => {
  const service = serviceOf(...Array.from({ length: 10 }, () => ({ ids: [], error: lost() })))
  await expect(idsOf(service.open)).rejects.toThrow('The replica is gone.')
  expect(service.requested).toHaveLength(3)
})

test('errors other than `unavailable` are thrown at once', async () => {
  const refused = serviceError('not_found', 'There is no such session.')
  for (const ids of [[], ['1']]) {
    const service = serviceOf({ ids, error: refused })
    await expect(idsOf(service.open)).rejects.toThrow(refused.message)
    expect(service.requested).toHaveLength(1)
  }
})
