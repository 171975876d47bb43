import { isServiceError } from '@trellis/kit/errors'
import { routes } from '@trellis/protos/edge/routes.ts'
import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { requestReader } from './request.ts'

/** What the rpc is given of a request, or the details of the refusal. */
type Given = { params?: object; query?: object; headers?: object; body?: unknown; of?: 'listings' | 'logs' | 'music' }
const read = (rpc: string, { params = {}, query = {}, headers = {}, body, of = 'logs' }: Given) => {
  const route = routes.find((known) => known.service.startsWith(`trellis.${of}.`) && known.rpc === rpc)
  if (!route) throw new Error(`There is no route to ${rpc}.`)
  try {
    return requestReader(route)({ params, query, body, headers } as FastifyRequest)
  } catch (error) {
    if (isServiceError(error, 'invalid')) return error.detail
    throw error
  }
}

test('a list that must have an item is required in a body without it', () => {
  expect(read('attachEntries', { params: { id: 'x' }, body: {} })).toMatchObject([
    { loc: ['body', 'entry_ids'], msg: 'is required' },
  ])
})

test('a body of null is malformed', () => {
  expect(() => read('attachEntries', { params: { id: 'x' }, body: null })).toThrow('The body must be a JSON object.')
})

test('a null where any value may stand is told from one that is absent', () => {
  const params = { entry_id: 'x' }
  expect(read('changeEntry', { params, body: { severity: null } })).toMatchObject({ severity: 'null' })
  expect(read('changeEntry', { params, body: {} })).toMatchObject({ severity: '' })
  expect(read('changeEntry', { params, body: { severity: 'ERROR' } })).toMatchObject({ severity: '"ERROR"' })
})

test('a query parameter that is not known is refused by its name, with those that are', () => {
  const msg = 'is not known here; known are before, after'
  expect(read('getContext', { params: { entry_id: 'x' }, query: { befor: '3', limit: '5', after: '1' } })).toEqual([
    { loc: ['query', 'befor'], msg, type: 'additionalProperties' },
    { loc: ['query', 'limit'], msg, type: 'additionalProperties' },
  ])
  expect(read('getStats', { query: { hours: '48' } })).toEqual([
    { loc: ['query', 'hours'], msg: 'is not known here', type: 'additionalProperties' },
  ])
})

test.each([
  ['listings', 'search', 'maxprice'],
  ['listings', 'getComps', 'query'],
  ['music', 'listChains', 'page'],
] as const)('the %s service, too, refuses what %s does not know', (of, rpc, name) => {
  expect(read(rpc, { of, query: { [name]: '1' } })).toMatchObject([
    {
      loc: ['query', name],
      msg: expect.stringContaining('is not known here; known are '),
      type: 'additionalProperties',
    },
  ])
})

test('what is open to all takes whatever parameters probes and marketplaces add', () => {
  expect(read('getHealth', { query: { probe: '1' } })).toEqual({})
  expect(read('getHealth', { of: 'listings', query: { probe: '1' } })).toEqual({})
})

test('what a form asks for may stand in the query of an upload', () => {
  expect(read('upload', { query: { source_id: 'attic', wait: 'true' } })).toMatchObject({ wait: true })
  expect(read('upload', { query: { source: 'attic' } })).toEqual([
    {
      loc: ['query', 'source'],
      msg: 'is not known here; known are wait, source_id, format, year, timezone',
      type: 'additionalProperties',
    },
  ])
})

test('a parameter of the query that a header replaces must be valid all the same', () => {
  const headers = { 'idempotency-key': 'from-the-header' }
  expect(read('receiveBundle', { headers, query: { idempotency_key: 'k' } })).toMatchObject({
    idempotencyKey: 'from-the-header',
  })
  expect(read('receiveBundle', { headers, query: { idempotency_key: 'k'.repeat(201) } })).toMatchObject([
    { loc: ['query', 'idempotency_key'], msg: 'must have at most 200 characters' },
  ])
})

test('what stands in a header may stand in the query, too', () => {
  expect(read('watchTask', { params: { task_id: 'x' }, query: { last_event_id: '7' } })).toMatchObject({
    lastEventId: '7',
  })
})

test.each([
  ['diagnose', 'query'],
  ['suggestSources', 'text'],
  ['interpretSource', 'text'],
])('a body without what %s needs is refused by the name of the field', (rpc, name) => {
  expect(read(rpc, { body: {} })).toEqual([{ loc: ['body', name], msg: 'is required', type: 'required' }])
})

test('a large body of unknown keys or wrong items is refused by its first error', () => {
  const keys = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key_${index}`, 1]))
  expect(read('diagnose', { body: { query: 'x', ...keys } })).toEqual([
    { loc: ['body', 'key_0'], msg: 'is not known here', type: 'additionalProperties' },
  ])
  const items = Array.from({ length: 100_000 }, () => 1)
  expect(read('attachEntries', { params: { id: 'x' }, body: { entry_ids: items } })).toHaveLength(1)
})

test('all errors of a small body are listed, up to twenty', () => {
  const items = Array.from({ length: 30 }, () => 1)
  expect(read('attachEntries', { params: { id: 'x' }, body: { entry_ids: items } })).toHaveLength(20)
})

test('what a value must be is said in words that can be read', () => {
  expect(read('listDetections', { query: { scorer: 'x' } })).toMatchObject([
    { msg: 'must be one of anomaly, cybersec' },
  ])
  expect(read('search', { query: { limit: 'abc', semantic: 'maybe' } })).toMatchObject([
    { loc: ['query', 'limit'], msg: 'must be a whole number from 1 to 1000' },
    { loc: ['query', 'semantic'], msg: 'must be true or false' },
  ])
  expect(read('interpretSource', { body: { text: 5 } })).toMatchObject([{ msg: 'must be a text' }])
  expect(read('attachEntries', { params: { id: 'x' }, body: { entry_ids: [] } })).toMatchObject([
    { loc: ['body', 'entry_ids'], msg: 'must have at least 1 item' },
  ])
})
