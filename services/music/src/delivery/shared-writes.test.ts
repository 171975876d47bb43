import { expect, test } from 'vitest'
import { createSharedWrites } from './shared-writes.ts'

const never = new AbortController().signal

/** Writes that end when the test says so, and what became of them. */
const open = (perUser = 2) => {
  const ending = new AbortController()
  const writeOnce = createSharedWrites({ perUser, ending: ending.signal })
  const begun: { readonly finish: () => void; readonly signal: AbortSignal }[] = []
  const write = (signal: AbortSignal): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => reject(signal.reason))
    begun.push({ finish: resolve, signal })
    return promise
  }
  return {
    begun,
    ending,
    ask: (key: string, { userId = 'ada', signal = never } = {}) => writeOnce({ key, userId, signal, write }),
  }
}

test('a file that many ask for is written once, and goes on while one of them waits', async () => {
  const { begun, ask } = open()
  const leaving = new AbortController()
  const [first, second] = [ask('a', { signal: leaving.signal }), ask('a')]
  leaving.abort()
  await expect(first).rejects.toMatchObject({ status: 409 })
  expect(begun).toHaveLength(1)
  expect(begun[0]?.signal.aborted).toBe(false)
  begun[0]?.finish()
  await second
})

test('a write stops when the last who waited has left, and is begun again for the next', async () => {
  const { begun, ask } = open()
  const leaving = new AbortController()
  const first = ask('a', { signal: leaving.signal })
  leaving.abort()
  await expect(first).rejects.toMatchObject({ status: 409 })
  expect(begun[0]?.signal.aborted).toBe(true)
  const again = ask('a')
  expect(begun).toHaveLength(2)
  begun[1]?.finish()
  await again
})

test('a user has a number of writes at once; others have theirs, and a place is free when one ends', async () => {
  const { begun, ask } = open(2)
  const own = [ask('a'), ask('b')]
  await expect(ask('c')).rejects.toMatchObject({ status: 429, retryAfterSeconds: 10 })
  const others = ask('d', { userId: 'bob' })
  begun[0]?.finish()
  await own[0]
  const next = ask('c')
  for (const { finish } of begun) finish()
  await Promise.all([...own, others, next])
})

test('a write that fails frees its place', async () => {
  const { begun, ending, ask } = open(1)
  const failing = ask('a')
  ending.abort(new Error('The service is ending.'))
  await expect(failing).rejects.toThrow('The service is ending.')
  void ask('b').catch(() => undefined)
  expect(begun).toHaveLength(2)
})

test('a caller who has left already begins nothing', async () => {
  const { begun, ask } = open()
  await expect(ask('a', { signal: AbortSignal.abort() })).rejects.toThrow()
  expect(begun).toEqual([])
})
