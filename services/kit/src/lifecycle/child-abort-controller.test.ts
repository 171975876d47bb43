import { expect, test } from 'vitest'
import { addAbortListener, childAbortController } from './child-abort-controller.ts'

test('a child is aborted with its parent, and with the same reason', () => {
  const parent = new AbortController()
  using child = childAbortController(parent.signal)
  expect(child.signal.aborted).toBe(false)
  const reason = new Error('over')
  parent.abort(reason)
  expect(child.signal.reason).toBe(reason)
})

test('aborting a child does not abort its parent', () => {
  const parent = new AbortController()
  using child = childAbortController(parent.signal)
  const reason = new Error('late')
  child.abort(reason)
  expect(child.signal.reason).toBe(reason)
  expect(parent.signal.aborted).toBe(false)
})

test('a child of an aborted parent is aborted from the start', () => {
  expect(childAbortController(AbortSignal.abort('over')).signal.reason).toBe('over')
})

test('a disposed child is not aborted with its parent', () => {
  const parent = new AbortController()
  const child = childAbortController(parent.signal)
  child[Symbol.dispose]()
  parent.abort()
  expect(child.signal.aborted).toBe(false)
})

test('each listener is called once at the abort, except for removed ones', () => {
  const parent = new AbortController()
  const called: string[] = []
  addAbortListener(parent.signal, () => called.push('first'))
  const remove = addAbortListener(parent.signal, () => called.push('second'))
  addAbortListener(parent.signal, () => called.push('third'))
  remove()
  parent.abort()
  addAbortListener(parent.signal, () => called.push('late'))
  expect(called).toEqual(['first', 'third', 'late'])
})
