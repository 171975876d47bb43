import { isServiceError } from '@trellis/kit/errors'
import { routes } from '@trellis/protos/edge/routes.ts'
import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { requestReader } from './request.ts'
import { check } from './validation.ts'

/** The parts of a request. `read` returns the message for the rpc, or the detail of the 422. */
type Parts = { params?: object; query?: object; headers?: object; body?: unknown; of?: 'listings' | 'logs' | 'music' }
const read = (rpc: string, { params = {}, query = {}, headers = {}, body, of = 'logs' }: Parts) => {
  const route = routes.find((known) => known.service.startsWith(`trellis.${of}.`) && known.rpc === rpc)
  if (!route) throw new Error(`There is no route to ${rpc}.`)
  try {
    return requestReader(route)({ url: '/', params, query, body, headers } as FastifyRequest)
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

test('null counts as absent in a body', () => {
  const params = { chain_id: 'c', node_id: 'n' }
  const names = ['prompt', 'duration_seconds', 'seed', 'context_seconds', 'takes', 'generator']
  const body = Object.fromEntries(names.map((name) => [name, null]))
  const absent = read('createBranches', { of: 'music', params, body: {} })
  expect(absent).toMatchObject({ prompt: '', durationSeconds: 10, takes: 1, generator: 'GENERATOR_AUTO' })
  expect(read('createBranches', { of: 'music', params, body })).toEqual(absent)
})

test.each(
  routes.flatMap(({ method, path, schema }) => (schema.body ? [{ name: `${method} ${path}`, body: schema.body }] : [])),
)('$name takes null for every field of its body that is not required', ({ body }) => {
  const { properties, required = [] } = body as { properties: object; required?: string[] }
  const optional = Object.keys(properties).filter((name) => !required.includes(name))
  const nulls = Object.fromEntries(optional.map((name) => [name, null]))
  expect(check('body', { ...body, required: [] })(nulls)).toBeUndefined()
})

test('null is distinguished from an absent value where any value is allowed', () => {
  const params = { entry_id: 'x' }
  expect(read('changeEntry', { params, body: { severity: null } })).toMatchObject({ severity: 'null' })
  expect(read('changeEntry', { params, body: {} })).toMatchObject({ severity: '' })
  expect(read('changeEntry', { params, body: { severity: 'ERROR' } })).toMatchObject({ severity: '"ERROR"' })
})

test('an unknown query parameter is rejected by name, with a list of the known ones', () => {
  const msg = 'is unknown; known are before, after'
  expect(read('getContext', { params: { entry_id: 'x' }, query: { befor: '3', limit: '5', after: '1' } })).toEqual([
    { loc: ['query', 'befor'], msg, type: 'additionalProperties' },
    { loc: ['query', 'limit'], msg, type: 'additionalProperties' },
  ])
  expect(read('getStats', { query: { hours: '48' } })).toEqual([
    { loc: ['query', 'hours'], msg: 'is unknown', type: 'additionalProperties' },
  ])
})

test('a route without a body reads its parameters from the body that is sent all the same', () => {
  const params = { id: 'x' }
  expect(read('sendBundle', { params, body: { sanitize: true } })).toMatchObject({ id: 'x', sanitize: true })
  expect(read('sendBundle', { params, body: {} })).toMatchObject({ id: 'x', sanitize: undefined })
  expect(read('sendBundle', { params, query: { sanitize: 'false' }, body: { sanitize: true } })).toMatchObject({
    sanitize: false,
  })
  expect(read('sendBundle', { params, body: { sanitize: 'often' } })).toMatchObject([
    { loc: ['body', 'sanitize'], msg: 'must be true or false' },
  ])
  expect(read('sendBundle', { params, body: { sanitise: true } })).toMatchObject([
    { loc: ['body', 'sanitise'], msg: 'is unknown' },
  ])
  expect(read('gleanAll', { body: { force: true } })).toMatchObject({ force: true })
})

test.each([
  ['listings', 'search', 'maxprice'],
  ['listings', 'getComps', 'query'],
  ['music', 'listChains', 'page'],
] as const)('the %s service rejects parameters that %s does not know', (of, rpc, name) => {
  expect(read(rpc, { of, query: { [name]: '1' } })).toMatchObject([
    {
      loc: ['query', name],
      msg: expect.stringContaining('is unknown; known are '),
      type: 'additionalProperties',
    },
  ])
})

test('open routes accept additional parameters of probes and marketplaces', () => {
  expect(read('getHealth', { query: { probe: '1' } })).toEqual({})
  expect(read('getHealth', { of: 'listings', query: { probe: '1' } })).toEqual({})
})

test('form fields of an upload may be sent in its query', () => {
  expect(read('upload', { query: { source_id: 'attic', wait: 'true' } })).toMatchObject({ wait: true })
  expect(read('upload', { query: { source: 'attic' } })).toEqual([
    {
      loc: ['query', 'source'],
      msg: 'is unknown; known are wait, source_id, format, year, timezone',
      type: 'additionalProperties',
    },
  ])
})

test('a query parameter that a header overrides must still be valid', () => {
  const params = { id: 'x' }
  const body = { tracker: 'jira' }
  const headers = { 'x-sanitize': 'true' }
  expect(read('exportTicket', { params, body, headers, query: { sanitize: 'false' } })).toMatchObject({
    sanitize: true,
  })
  expect(read('exportTicket', { params, body, headers, query: { sanitize: 'maybe' } })).toMatchObject([
    { loc: ['query', 'sanitize'], msg: 'must be true or false' },
  ])
  expect(read('exportTicket', { params, body, headers: { 'x-sanitize': 'maybe' } })).toMatchObject([
    { loc: ['header', 'x-sanitize'], msg: 'must be true or false' },
  ])
})

test.each([
  ['ingestNotification', 'notifier_token'],
  ['receiveBundle', 'idempotency_key'],
  ['gleanBatch', 'content_encoding'],
  ['getNodeAudio', 'range'],
] as const)('the header of %s is not accepted as the query parameter %s', (rpc, name) => {
  const of = name === 'range' ? 'music' : 'logs'
  expect(read(rpc, { of, params: { chain_id: 'c', node_id: 'n' }, query: { [name]: 'x' } })).toMatchObject([
    { loc: ['query', name], msg: expect.stringContaining('is unknown') },
  ])
})

test('the signature of an account deletion is not read from the query', () => {
  const message = read('receiveAccountDeletion', { of: 'listings', query: { signature: 'x', ebay_signature: 'y' } })
  expect(message).toEqual({})
})

test('the id of the last event may also be sent in the query', () => {
  expect(read('watchTask', { params: { task_id: 'x' }, query: { last_event_id: '7' } })).toMatchObject({
    lastEventId: '7',
  })
})

test.each([
  ['diagnose', 'query'],
  ['suggestSources', 'text'],
  ['interpretSource', 'text'],
])('a body without a field that %s requires is rejected by the name of the field', (rpc, name) => {
  expect(read(rpc, { body: {} })).toEqual([{ loc: ['body', name], msg: 'is required', type: 'required' }])
})

test('a large body with unknown keys or wrong items is rejected with its first error only', () => {
  const keys = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key_${index}`, 1]))
  expect(read('diagnose', { body: { query: 'x', ...keys } })).toEqual([
    { loc: ['body', 'key_0'], msg: 'is unknown', type: 'additionalProperties' },
  ])
  const items = Array.from({ length: 100_000 }, () => 1)
  expect(read('attachEntries', { params: { id: 'x' }, body: { entry_ids: items } })).toHaveLength(1)
})

test('up to twenty errors of a small body are listed', () => {
  const items = Array.from({ length: 30 }, () => 1)
  expect(read('attachEntries', { params: { id: 'x' }, body: { entry_ids: items } })).toHaveLength(20)
})

test('messages about wrong values are readable', () => {
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

test.each([
  [
    'an id behind 64 bits',
    { params: { saved_id: '1e300' }, body: {} },
    ['path', 'saved_id'],
    'maximum',
    '9007199254740991',
  ],
  [
    'an inexact id',
    { params: { saved_id: '9007199254740993' }, body: {} },
    ['path', 'saved_id'],
    'maximum',
    '9007199254740991',
  ],
  [
    'an id that is no number',
    { params: { saved_id: 'x' }, body: {} },
    ['path', 'saved_id'],
    'type',
    'must be a whole number',
  ],
] as const)('%s is rejected before it is sent to the service', (_, parts, loc, type, words) => {
  expect(read('setMonitor', { of: 'listings', ...parts })).toEqual([{ loc, msg: expect.stringContaining(words), type }])
})

test('an infinite number is no number', () => {
  const query = { q: 'x', max_price: '1e999' }
  expect(read('search', { of: 'listings', query })).toMatchObject([{ loc: ['query', 'max_price'], type: 'type' }])
  const params = { saved_id: '1e999' }
  expect(read('deleteSavedSearch', { of: 'listings', params })).toMatchObject([
    { loc: ['path', 'saved_id'], type: 'type' },
  ])
})
