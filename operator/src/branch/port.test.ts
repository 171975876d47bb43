import { expect, test } from 'vitest'
import { choosePort } from './port.ts'
import { branchObject } from './test-support.ts'

/** What a branch asks for, and what it has. */
const make = (name: string, asks?: number, has?: number) =>
  branchObject(name, {
    spec: asks === undefined ? {} : { port: asks },
    status: has === undefined ? {} : { port: has },
    created: `2026-01-01T00:00:0${name.length}Z`,
  })

test.each([
  ['the first, where nobody has any', make('a'), [], 8538],
  [
    'the smallest that nobody has or asks for',
    make('a'),
    [make('b', undefined, 8538), make('c', 8539), make('d')],
    8540,
  ],
  ['the one that it has, whatever is free', make('a', undefined, 9000), [], 9000],
  ['the one that it asks for instead of the one that it has', make('a', 7000, 8538), [], 7000],
  ['another, where an older one has the same', make('aa', undefined, 8538), [make('a', undefined, 8538)], 8539],
  ['its own, where a younger one has the same', make('a', undefined, 8538), [make('aa', undefined, 8538)], 8538],
  ['its own, where an older one merely asks for it', make('aa', undefined, 8538), [make('a', 8538)], 8538],
  ['the one that both ask for, where it is the older', make('a', 7000), [make('aa', 7000)], 7000],
])('a branch gets %s', (_, branch, others, port) => {
  expect(choosePort(branch, others)).toEqual({ kind: 'port', port })
})

test.each([
  ['that both ask for, where it is the younger', make('aa', 7000), make('a', 7000)],
  ['that another has, though it is the older', make('a', 7000), make('aa', undefined, 7000)],
  ['that another has, though it has one itself', make('a', 7000, 8538), make('aa', undefined, 7000)],
])('a branch waits for the port %s', (_, branch, by) => {
  expect(choosePort(branch, [by])).toEqual({ kind: 'taken', port: 7000, by })
})
