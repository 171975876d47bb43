import { serviceError } from '@trellis/kit/errors'
import { expect, test } from 'vitest'
import { resume } from './resume.ts'

/** A service whose openings come out as told, one after another: messages, and then perhaps a failure. */
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

test('a stream whose replica is lost goes on behind the last event, and one that had not begun is asked for again', async () => {
  const service = serviceOf({ ids: [], error: lost() }, { ids: ['1', '2'], error: lost() }, { ids: ['3'] })
  expect(await idsOf(service.open)).toEqual(['1', '2', '3'])
  expect(service.requested).toEqual([undefined, undefined, '2'])
})

test('a stream that never begins is given up soon', async () => {
  const service = serviceOf(...Array.from({ length: 10 }, () => ({ ids: [], error: lost() })))
  await expect(idsOf(service.open)).rejects.toThrow('The replica is gone.')
  expect(service.requested).toHaveLength(3)
})

test('a failure that is no loss is thrown, whenever it comes', async () => {
  const refused = serviceError('not_found', 'There is no such session.')
  for (const ids of [[], ['1']]) {
    const service = serviceOf({ ids, error: refused })
    await expect(idsOf(service.open)).rejects.toThrow(refused.message)
    expect(service.requested).toHaveLength(1)
  }
})
