import { MessageChannel } from 'node:worker_threads'
import { serviceError } from '@trellis/kit/errors'
import { expect, onTestFinished, test } from 'vitest'
import { BatchUnreadable, isBatchUnreadable } from '../entries/entry-batch.ts'
import { type Callable, createCalls, type Port } from './calls.ts'

/** A call over a real channel, whose messages are structured clones. */
const callOf = (answer: () => unknown) => {
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port1.close())
  const portOf = (port: typeof port1): Port => ({
    send: (message, transfer) => port.postMessage(message, transfer),
    receive: (listener) => void port.on('message', listener),
  })
  createCalls(portOf(port2), { answer })
  const { call } = createCalls<Callable>(portOf(port1), {})
  return call('answer', [])
}
const throwing = (thrown: unknown) => () => {
  throw thrown
}

test('an error crosses threads with its name, message, code and cause', async () => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
  const unreadable = new BatchUnreadable('This is not a batch of entries.', { cause: full })
  const thrown = await callOf(throwing(unreadable)).catch((error: unknown) => error)
  expect(isBatchUnreadable(thrown)).toBe(true)
  expect(thrown).toMatchObject({
    name: 'BatchUnreadable',
    message: 'This is not a batch of entries.',
    stack: unreadable.stack,
    cause: { message: 'no space', code: 'ENOSPC' },
  })
})

test('a service error crosses threads with its status, and other thrown values unchanged', async () => {
  await expect(callOf(throwing(serviceError('unavailable', 'later', { retryAfterSeconds: 5 })))).rejects.toMatchObject({
    kind: 'unavailable',
    retryAfterSeconds: 5,
  })
  await expect(callOf(throwing('in words'))).rejects.toBe('in words')
})

test('a result or error that cannot be cloned rejects the call', async () => {
  await expect(callOf(() => () => 1)).rejects.toThrow('could not be cloned')
  await expect(callOf(throwing(() => 1))).rejects.toThrow('() => 1')
  await expect(callOf(throwing(new Error('odd', { cause: () => 1 })))).rejects.toThrow('odd')
})
