import { expect, test } from 'vitest'
import { addAbortListener, childAbortController } from './child-abort-controller.ts'

test('it is aborted with the longer signal, and with its reason', () => {
  const longer = new AbortController()
  using linked = childAbortController(longer.signal)
  expect(linked.signal.aborted).toBe(false)
  const reason = new Error('over')
  longer.abort(reason)
  expect(linked.signal.reason).toBe(reason)
})

test('it is aborted by itself, and the longer signal is not', () => {
  const longer = new AbortController()
  using linked = childAbortController(longer.signal)
  const reason = new Error('late')
  linked.abort(reason)
  expect(linked.signal.reason).toBe(reason)
  expect(longer.signal.aborted).toBe(false)
})

test('one that is linked to what is over is over', () => {
  expect(childAbortController(AbortSignal.abort('over')).signal.reason).toBe('over')
})

test('one that was disposed of is left alone', () => {
  const longer = new AbortController()
  const linked = childAbortController(longer.signal)
  linked[Symbol.dispose]()
  longer.abort()
  expect(linked.signal.aborted).toBe(false)
})

test('each that listens to a signal is called once when it aborts, and who called it off is not', () => {
  const longer = new AbortController()
  const called: string[] = []
  addAbortListener(longer.signal, () => called.push('first'))
  const callOff = addAbortListener(longer.signal, () => called.push('second'))
  addAbortListener(longer.signal, () => called.push('third'))
  callOff()
  longer.abort()
  addAbortListener(longer.signal, () => called.push('late'))
  expect(called).toEqual(['first', 'third', 'late'])
})
