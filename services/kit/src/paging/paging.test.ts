import { expect, test } from 'vitest'
import { createPaging } from './paging.ts'

const paging = createPaging('notes', { time: 'integer', id: 'text' })
const rows = Array.from({ length: 5 }, (_, at) => ({ time: 100 - at, id: `n${at}`, text: 'a note' }))
const positionOf = ({ time, id }: { time: number; id: string }) => ({ time, id })

test('the cursor of a page is the position of its last row, and the last page has none', () => {
  const { page, nextCursor } = paging.toPage(rows.slice(0, 3), 2, positionOf)
  expect(page).toEqual(rows.slice(0, 2))
  expect(paging.read(nextCursor)).toEqual({ time: 99, id: 'n1' })
  expect(paging.toPage(rows.slice(3), 2, positionOf)).toEqual({ page: rows.slice(3), nextCursor: null })
})

test('a list without rows has one empty page', () => {
  expect(paging.toPage([], 10, positionOf)).toEqual({ page: [], nextCursor: null })
})

test('without a cursor the list begins at its start', () => {
  expect([paging.read(undefined), paging.read(null), paging.read('')]).toEqual([undefined, undefined, undefined])
})

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

test.each([
  ['text that is no cursor', 'yesterday'],
  ['JSON of another shape', encode({ time: 1, id: 'a' })],
  ['a position with a field of another type', encode(['notes', { time: '1', id: 'a' }])],
  ['a time with a fraction', encode(['notes', { time: 1.5, id: 'a' }])],
  ['a cursor of another list', encode(['songs', { time: 1, id: 'a' }])],
])('%s is refused with the field and what to send', (_, cursor) => {
  expect(() => paging.read(cursor)).toThrow(
    expect.objectContaining({
      kind: 'invalid',
      detail: [expect.objectContaining({ loc: ['query', 'cursor'], msg: expect.stringContaining('next_cursor') })],
    }),
  )
})
