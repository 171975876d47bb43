import { expect, test } from 'vitest'
import { choosePort } from './port.ts'
import { branchObject } from './test-support.ts'

/** A branch with a requested port and a current one. */
const make = (name: string, requested?: number, has?: number) =>
  branchObject(name, {
    spec: requested === undefined ? {} : { port: requested },
    status: has === undefined ? {} : { port: has },
    created: `2026-01-01T00:00:0${name.length}Z`,
  })

test.each([
  ['the first port if none is taken', make('a'), [], 8538],
  [
    'the smallest port that no branch has or requests',
    make('a'),
    [make('b', undefined, 8538), make('c', 8539), make('d')],
    8540,
  ],
  ['its current port, whatever is free', make('a', undefined, 9000), [], 9000],
  ['its requested port instead of the current one', make('a', 7000, 8538), [], 7000],
  ['another port if an older branch has the same', make('aa', undefined, 8538), [make('a', undefined, 8538)], 8539],
  ['its own port if a younger branch has the same', make('a', undefined, 8538), [make('aa', undefined, 8538)], 8538],
  ['its own port if an older branch merely requests it', make('aa', undefined, 8538), [make('a', 8538)], 8538],
  ['a port that both request if it is the older', make('a', 7000), [make('aa', 7000)], 7000],
])('a branch gets %s', (_, branch, others, port) => {
  expect(choosePort(branch, others)).toEqual({ kind: 'port', port })
})

test.each([
  ['that both request if it is the younger', make('aa', 7000), make('a', 7000)],
  ['that another has although it is the older', make('a', 7000), make('aa', undefined, 7000)],
  ['that another has although it has one itself', make('a', 7000, 8538), make('aa', undefined, 7000)],
])('a branch waits for the port %s', (_, branch, by) => {
  expect(choosePort(branch, [by])).toEqual({ kind: 'taken', port: 7000, by })
})
