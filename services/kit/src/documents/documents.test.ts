import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { closedObject, oneOf, optional, readDocument, shownPath } from './documents.ts'

const schema = closedObject({
  name: z.string('must be text').min(1, 'must be text'),
  kind: optional(oneOf(['file', 'journal', 'docker']), 'file'),
  size: z.union([z.int(), z.array(z.int('must be a whole number'))], 'must be a number or a list').optional(),
  items: z.array(closedObject({ id: z.int('must be a whole number') }), 'must be a list').optional(),
})

const problemOf = (document: unknown) => {
  const read = readDocument(schema, document)
  return 'problem' in read ? [shownPath(read.problem.path), read.problem.message] : []
}

describe('documents', () => {
  test('a valid one is read, with defaults for what is absent or null', () => {
    expect(readDocument(schema, { name: 'a', kind: null })).toEqual({ value: { name: 'a', kind: 'file' } })
    expect(readDocument(schema, { name: 'a', kind: 'docker', items: [{ id: 1 }] })).toEqual({
      value: { name: 'a', kind: 'docker', items: [{ id: 1 }] },
    })
  })

  test.each([
    [{}, 'name', 'is missing'],
    [{ name: null }, 'name', 'is missing'],
    [{ name: '' }, 'name', 'must be text'],
    [{ name: 7 }, 'name', 'must be text'],
    [{ name: 'a', kind: 'fil' }, 'kind', 'must be file, journal or docker'],
    [{ name: 'a', items: {} }, 'items', 'must be a list'],
    [{ name: 'a', items: [{ id: 1 }, {}] }, 'items[1].id', 'is missing'],
    [{ name: 'a', items: [{ id: 1.5 }] }, 'items[0].id', 'must be a whole number'],
    [{ name: 'a', items: [null] }, 'items[0]', 'is missing'],
    [{ nme: 'a' }, 'nme', 'is not known; there are name, kind, size, items'],
    [{ name: 'a', items: [{ id: 1, url: '' }] }, 'items[0].url', 'is not known; there are id'],
    [{ name: 'a', size: 'large' }, 'size', 'must be a number or a list'],
    [{ name: 'a', size: [1, 'large'] }, 'size[1]', 'must be a whole number'],
    [[], '', 'must be an object'],
    [null, '', 'must be an object'],
  ])('the first problem of %j is reported with its place', (document, path, message) => {
    expect(problemOf(document)).toEqual([path, message])
  })
})
