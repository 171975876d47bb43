import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCors } from './cors.ts'

describe('a page of another origin', () => {
  const server = fastify()
  const cors = createCors([
    { mount: '/music', origins: 'any' },
    { mount: '/logs', origins: ['https://home.example'] },
  ])
  beforeAll(async () => {
    server.addHook('onRequest', (request, reply, done) => {
      cors.addHeaders(request, reply)
      done()
    })
    cors.registerPreflight(server)
    for (const path of ['/music/x', '/logs/x', '/listings/x']) server.get(path, () => ({}))
    await server.ready()
  })
  afterAll(() => server.close())

  const from = async (url: string, origin?: string) =>
    (await server.inject({ url, headers: origin ? { origin } : {} })).headers

  test('may read, without credentials, answers that are open to any origin', async () => {
    const headers = await from('/music/x', 'https://elsewhere.example')
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers['access-control-allow-credentials']).toBeUndefined()
    expect(headers['access-control-expose-headers']?.toString().split(', ')).toEqual(
      expect.arrayContaining(['x-request-id', 'content-range', 'etag']),
    )
  })

  test('may read, with credentials, only answers of mounts that list its origin', async () => {
    const named = await from('/logs/x', 'https://home.example')
    expect(named).toMatchObject({
      'access-control-allow-origin': 'https://home.example',
      'access-control-allow-credentials': 'true',
      vary: 'Origin',
    })
    for (const origin of ['https://elsewhere.example', 'https://home.example.evil', 'null']) {
      expect((await from('/logs/x', origin))['access-control-allow-origin'], origin).toBeUndefined()
    }
    expect((await from('/listings/x', 'https://home.example'))['access-control-allow-origin']).toBeUndefined()
    expect((await from('/logs/x')).vary).toBe('Origin')
    expect((await from('/listings/x', 'https://home.example')).vary).toBeUndefined()
  })

  test('gets the allowed methods and headers from a preflight', async () => {
    const preflight = async (url: string, origin: string) =>
      server.inject({
        method: 'OPTIONS',
        url,
        headers: { origin, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'content-type' },
      })
    const granted = await preflight('/logs/x', 'https://home.example')
    expect(granted.statusCode).toBe(204)
    expect(granted.headers).toMatchObject({ 'access-control-allow-headers': 'content-type' })
    expect(granted.headers['access-control-allow-methods']).toContain('PATCH')
    const refused = await preflight('/logs/x', 'https://elsewhere.example')
    expect(refused.headers['access-control-allow-methods']).toBeUndefined()
  })
})
