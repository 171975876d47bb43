import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createEgress, type EgressOptions, EgressRefused } from './egress.ts'

const listenForTests = async (listener: RequestListener) => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A resolver that returns the next of its answers for each lookup. */
const resolving = (...answers: string[][]): NonNullable<EgressOptions['lookup']> => {
  const left = [...answers]
  return (_host, _options, done) => {
    const addresses = left.shift() ?? []
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
}

test('fetch sends the request and returns the response', async () => {
  await using server = await listenForTests((request, response) => response.end(`${request.method} ${request.url}`))
  await using egress = createEgress({ blockPrivate: false })
  const response = await egress.fetch(`http://localhost:${server.port}/a`, { method: 'POST', body: 'x' })
  expect(await response.text()).toBe('POST /a')
})

test('a host name is checked by the addresses that it resolves to', async () => {
  await using server = await listenForTests((_, response) => response.end('reached'))
  await using egress = createEgress({ blockPrivate: true })
  await expect(egress.fetch(`http://localhost:${server.port}/`)).rejects.toThrow(EgressRefused)
})

test('a redirect is followed within the host, but not to another host', async () => {
  await using server = await listenForTests((request, response) => {
    if (request.url === '/here') response.writeHead(307, { location: '/there' }).end()
    else if (request.url === '/away') response.writeHead(302, { location: 'http://203.0.113.7/' }).end()
    else if (request.url === '/file') response.writeHead(307, { location: 'file:///etc/hosts' }).end()
    else if (request.url === '/round') response.writeHead(302, { location: '/round' }).end()
    else response.end(`${request.method} ${request.url}`)
  })
  await using egress = createEgress({ blockPrivate: false })
  const base = `http://127.0.0.1:${server.port}`
  const followed = await egress.fetch(`${base}/here`, { method: 'POST', body: '{}' })
  expect(await followed.text()).toBe('POST /there')
  await expect(egress.fetch(`${base}/away`)).rejects.toThrow('redirects to another host are not followed')
  await expect(egress.fetch(`${base}/away`)).rejects.toMatchObject({ movedTo: 'http://203.0.113.7/' })
  await expect(egress.fetch(`${base}/file`)).rejects.toThrow('redirects to an address that is neither http nor https')
  await expect(egress.fetch(`${base}/round`)).rejects.toMatchObject({ what: 'redirect', movedTo: undefined })
  await expect(egress.fetch(`${base}/round`)).rejects.toThrow('in a loop')
})

test('a redirect that would drop the body of a request is returned where the method must not change', async () => {
  const reached: string[] = []
  await using server = await listenForTests((request, response) => {
    reached.push(`${request.method} ${request.url}`)
    const status = Number(request.url?.slice(1))
    if (status >= 300) response.writeHead(status, { location: '/200' }).end()
    else response.end('done')
  })
  await using egress = createEgress({ blockPrivate: false })
  const statuses: number[] = []
  for (const path of ['301', '302', '303', '307', '308']) {
    const init = { method: 'POST', body: '{}', keepsMethod: true }
    const response = await egress.fetch(`http://127.0.0.1:${server.port}/${path}`, init)
    statuses.push(response.status)
    await response.body?.cancel()
  }
  expect(statuses).toEqual([301, 302, 303, 200, 200])
  expect(reached.filter((request) => request.endsWith('/200'))).toEqual(['POST /200', 'POST /200'])
})

test('a host name that resolves to a private address later is rejected (DNS rebinding)', async () => {
  let reached = 0
  await using server = await listenForTests((_, response) => {
    reached += 1
    response.end('reached')
  })
  await using egress = createEgress({
    blockPrivate: true,
    lookup: resolving(['203.0.113.7'], ['127.0.0.1'], ['203.0.113.7', '127.0.0.1'], ['::ffff:127.0.0.1']),
  })
  const request = () => egress.fetch(`http://rebound.test:${server.port}/`, { signal: AbortSignal.timeout(300) })
  // Nothing answers at the public address, which is reserved for documentation.
  await expect(request()).rejects.not.toThrow(EgressRefused)
  for (let attempt = 0; attempt < 3; attempt += 1) await expect(request()).rejects.toThrow(EgressRefused)
  expect(reached).toBe(0)
})

test('a request with `onlyPublic` is rejected for private addresses that the rules allow', async () => {
  await using server = await listenForTests((_, response) => response.end('reached'))
  await using egress = createEgress({ blockPrivate: false })
  const url = `http://localhost:${server.port}/`
  expect(await (await egress.fetch(url)).text()).toBe('reached')
  await expect(egress.fetch(url, { onlyPublic: true })).rejects.toThrow(EgressRefused)
  await expect(egress.fetch(`http://127.0.0.1:${server.port}/`, { onlyPublic: true })).rejects.toThrow(EgressRefused)
})

test('a metadata address is rejected in every IPv6 embedding', async () => {
  for (const address of ['169.254.169.254', '::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1']) {
    await using egress = createEgress({ blockPrivate: false, lookup: resolving([address]) })
    await expect(egress.fetch('http://metadata.test/'), address).rejects.toThrow('metadata addresses are not allowed')
  }
})

test('a response beyond the size limit is aborted', async () => {
  await using server = await listenForTests((_, response) => response.end('x'.repeat(100_000)))
  await using egress = createEgress({ blockPrivate: false, maxResponseBytes: 1_000 })
  const response = await egress.fetch(`http://127.0.0.1:${server.port}/`)
  await expect(response.text()).rejects.toThrow()
})
