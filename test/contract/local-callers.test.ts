import { request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTrellis, type Trellis } from '../support/trellis.ts'

/** A non-loopback address of this machine. Connections to it count as coming from another machine. */
const outer = Object.values(networkInterfaces())
  .flat()
  .find((one) => one && !one.internal && one.family === 'IPv4')?.address

type Write = { method: string; path: string; body?: object }

const writes: readonly Write[] = [
  { method: 'POST', path: '/logs/api/setup/write', body: { sources: [{ id: 'x', path: '/var/log/x.log' }] } },
  { method: 'PATCH', path: '/logs/api/settings', body: { llm_base_url: 'http://127.0.0.1:9' } },
  {
    method: 'POST',
    path: '/logs/api/ssh-targets',
    body: { label: 'NAS', host: 'nas', user: 'logs', key_path: '/keys/id' },
  },
  { method: 'PATCH', path: '/logs/api/ssh-targets/none', body: { port: 2222 } },
  { method: 'DELETE', path: '/logs/api/ssh-targets/none' },
  { method: 'POST', path: '/logs/api/ssh-targets/none/test', body: {} },
  { method: 'DELETE', path: '/logs/api/sources/none' },
  { method: 'POST', path: '/logs/api/diagnose', body: { query: 'why', llm: { base_url: 'http://127.0.0.1:9' } } },
  {
    method: 'POST',
    path: '/logs/api/diagnose/stream',
    body: { query: 'why', llm: { base_url: 'http://127.0.0.1:9' } },
  },
]

const send = async (origin: string, { method, path, body }: Write, headers: Record<string, string> = {}) => {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}

/** The status of a request whose `Host` names the server, as a proxy on this machine sends it on. */
const statusThroughProxy = (port: string, { method, path, body }: Write, host: string) => {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const headers = { host, ...(body && { 'content-type': 'application/json' }) }
  request({ host: '127.0.0.1', port, method, path, headers }, (response) =>
    response.resume().once('end', () => resolve(response.statusCode)),
  )
    .once('error', reject)
    .end(body && JSON.stringify(body))
  return promise
}

describe('the log service without an API key', () => {
  let trellis: Trellis
  let port: string
  beforeAll(async () => {
    trellis = await startTrellis(
      { HOST: '0.0.0.0', LOGS_WATCH: '0', EDGE_HOSTS: 'trellis.example' },
      { form: 'embedded' },
    )
    ;({ port } = new URL(trellis.origin))
  })
  afterAll(() => trellis?.[Symbol.asyncDispose]())

  test.skipIf(outer === undefined).each(writes)(
    '$method $path is refused to callers on other machines',
    async (write) => {
      const { status, text } = await send(`http://${outer}:${port}`, write)
      expect({ status, text }).toEqual({ status: 403, text: expect.stringContaining('Set SERVICE_API_KEY') })
      const spoofed = { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1', forwarded: 'for=127.0.0.1' }
      expect((await send(`http://${outer}:${port}`, write, spoofed)).status).toBe(403)
    },
  )

  test.each(writes)('$method $path is accepted from this machine, but not from a local proxy', async (write) => {
    expect((await send(`http://127.0.0.1:${port}`, write)).status).not.toBe(403)
    for (const header of ['x-forwarded-for', 'forwarded', 'via'])
      expect((await send(`http://127.0.0.1:${port}`, write, { [header]: '127.0.0.1' })).status).toBe(403)
    expect(await statusThroughProxy(port, write, 'trellis.example')).toBe(403)
    expect(await statusThroughProxy(port, write, `localhost:${port}`)).not.toBe(403)
  })

  test.skipIf(outer === undefined)('other machines may search and push logs', async () => {
    const origin = `http://${outer}:${port}`
    expect(
      (
        await send(origin, {
          method: 'POST',
          path: '/logs/api/glean/batch',
          body: { source_id: 'a', entries: [{ text: 'x' }] },
        })
      ).status,
    ).toBe(200)
    expect((await fetch(`${origin}/logs/api/search`)).status).toBe(200)
  })
})

describe('the log service with an API key', () => {
  test.skipIf(outer === undefined)('writes need the key, from any machine', async () => {
    await using trellis = await startTrellis(
      { HOST: '0.0.0.0', LOGS_WATCH: '0', SERVICE_API_KEY: 'key-of-this-test' },
      { form: 'embedded' },
    )
    const { port } = new URL(trellis.origin)
    for (const write of writes) {
      const withKey = await send(`http://${outer}:${port}`, write, { authorization: 'Bearer key-of-this-test' })
      expect([401, 403]).not.toContain(withKey.status)
      expect((await send(`http://127.0.0.1:${port}`, write)).status).toBe(401)
    }
  })
})
