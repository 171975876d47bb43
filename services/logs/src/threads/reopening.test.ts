import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createReopening } from './reopening.ts'

class Closed extends Error {}

/** Stores that record when they are opened and closed; closing takes some turns of the event loop. */
const stores = (failingOpens = 0) => {
  const events: string[] = []
  let opened = 0
  let failures = failingOpens
  const open = async () => {
    await setImmediate()
    if (failures-- > 0) throw new Error('The catalogue is busy.')
    const number = ++opened
    events.push(`open ${number}`)
    let isClosed = false
    return {
      number,
      failure: undefined as Error | undefined,
      write: async () => {
        if (isClosed) throw new Closed('closed')
        await setImmediate()
        return number
      },
      async [Symbol.asyncDispose]() {
        isClosed = true
        for (let turn = 0; turn < 5; turn++) await setImmediate()
        events.push(`close ${number}`)
      },
    }
  }
  return { events, reopening: createReopening({ open, isClosed: (error) => error instanceof Closed }) }
}

test('a failed open is retried by the next call', async () => {
  const { reopening } = stores(1)
  await expect(reopening.use((store) => store.write())).rejects.toThrow('busy')
  expect(await reopening.use((store) => store.write())).toBe(1)
})

test('concurrent calls open the store once', async () => {
  const { events, reopening } = stores()
  expect(await Promise.all([reopening.get(), reopening.get(), reopening.use(async (store) => store)])).toHaveLength(3)
  expect(events).toEqual(['open 1'])
})

test('an error that does not fail the store leaves it open', async () => {
  const { events, reopening } = stores()
  const refused = reopening.use(() => Promise.reject(new Error('Too many severities wait.')))
  await expect(refused).rejects.toThrow('Too many')
  expect(await reopening.use((store) => store.write())).toBe(1)
  expect(events).toEqual(['open 1'])
})

test('a failed store is closed before the next is opened', async () => {
  const { events, reopening } = stores()
  const failed = reopening.use(async (store) => {
    store.failure = new Error('The disk is gone.')
    throw store.failure
  })
  await expect(failed).rejects.toThrow('The disk is gone')
  expect(await Promise.all([1, 2, 3].map(() => reopening.use((store) => store.write())))).toEqual([2, 2, 2])
  expect(events).toEqual(['open 1', 'close 1', 'open 2'])
})

test('work on a closed store is repeated on the next one', async () => {
  const { reopening } = stores()
  const { promise: isReplaced, resolve: replaced } = Promise.withResolvers<void>()
  const late = reopening.use(async (store) => {
    if (store.number === 1) await isReplaced
    return store.write()
  })
  const first = await reopening.get()
  first.failure = new Error('The disk is gone.')
  await reopening.get()
  replaced()
  expect(await late).toBe(2)
})

test('after end() nothing is opened any more', async () => {
  const { events, reopening } = stores()
  await reopening.get()
  await reopening.end()
  expect(events).toEqual(['open 1', 'close 1'])
  await expect(reopening.use((store) => store.write())).rejects.toMatchObject({ kind: 'unavailable' })
  expect(events).toEqual(['open 1', 'close 1'])
})
