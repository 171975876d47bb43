import { isFailure } from '@trellis/kit/errors'
import { routes } from '@trellis/protos/edge/routes.ts'
import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { requestReader } from './request.ts'

/** What the rpc is given of a request, or the details of the refusal. */
const read = (rpc: string, { params = {}, query = {}, body }: { params?: object; query?: object; body?: unknown }) => {
  const route = routes.find((known) => known.service.startsWith('trellis.logs.') && known.rpc === rpc)
  if (!route) throw new Error(`There is no route to ${rpc}.`)
  try {
    return requestReader(route)({ params, query, body, headers: {} } as FastifyRequest)
  } catch (error) {
    if (isFailure(error, 'invalid')) return error.detail
    throw error
  }
}

test.each([{}, null])('a list that must have an item is asked for where the body is %j', (body) => {
  expect(read('attachEntries', { params: { id: 'x' }, body })).toMatchObject([
    { loc: ['body', 'entry_ids'], msg: 'is required' },
  ])
})

test('a null where any value may stand is told from one that is absent', () => {
  const params = { entry_id: 'x' }
  expect(read('changeEntry', { params, body: { severity: null } })).toMatchObject({ severity: 'null' })
  expect(read('changeEntry', { params, body: {} })).toMatchObject({ severity: '' })
  expect(read('changeEntry', { params, body: { severity: 'ERROR' } })).toMatchObject({ severity: '"ERROR"' })
})

test('what a value must be is said in words that can be read', () => {
  expect(read('listDetections', { query: { scorer: 'x' } })).toMatchObject([
    { msg: 'must be one of anomaly, cybersec' },
  ])
  expect(read('attachEntries', { params: { id: 'x' }, body: { entry_ids: [] } })).toMatchObject([
    { loc: ['body', 'entry_ids'], msg: 'must have at least 1 item' },
  ])
})
