import { expect, test } from 'vitest'
import { createSharedWrites } from './shared-writes.ts'

const never = new AbortController().signal

/** A shared-writes instance whose writes the test finishes. */
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
    request: (key: string, { userId = 'ada', signal = never } = {}) => writeOnce({ key, userId, signal, write }),
  }
}

test('concurrent requests for a file share one write, which continues while one of them waits', async () => {
  const { begun, request } = open()
  const leaving = new AbortController()
  const [first, second] = [request('a', { signal: leaving.signal }), request('a')]
  leaving.abort()
  await expect(first).rejects.toMatchObject({ status: 409 })
  expect(begun).toHaveLength(1)
  expect(begun[0]?.signal.aborted).toBe(false)
  begun[0]?.finish()
  await second
})

test('a write stops when the last caller has left, and restarts for the next', async () => {
  const { begun, request } = open()
  const leaving = new AbortController()
  const first = request('a', { signal: leaving.signal })
  leaving.abort()
  await expect(first).rejects.toMatchObject({ status: 409 })
  expect(begun[0]?.signal.aborted).toBe(true)
  const again = request('a')
  expect(begun).toHaveLength(2)
  begun[1]?.finish()
  await again
})

test('the number of concurrent writes is limited for each user, and a slot is free when one ends', async () => {
  const { begun, request } = open(2)
  const own = [request('a'), request('b')]
  await expect(request('c')).rejects.toMatchObject({ status: 429, retryAfterSeconds: 10 })
  const others = request('d', { userId: 'bob' })
  begun[0]?.finish()
  await own[0]
  const next = request('c')
  for (const { finish } of begun) finish()
  await Promise.all([...own, others, next])
})

test('a failed write frees its slot', async () => {
  const { begun, ending, request } = open(1)
  const failing = request('a')
  ending.abort(new Error('The service is shutting down.'))
  await expect(failing).rejects.toThrow('The service is shutting down.')
  void request('b').catch(() => undefined)
  expect(begun).toHaveLength(2)
})

test('a caller that has already left starts no write', async () => {
  const { begun, request } = open()
  await expect(request('a', { signal: AbortSignal.abort() })).rejects.toThrow()
  expect(begun).toEqual([])
})
