import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { canMakeCertificates, createAuthority } from '@trellis/test/support/certificates'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../../test/eventually.ts'
import type { Access, ConnectionSecurity } from './credentials.ts'
import { type HttpRequest, send } from './send.ts'
import { createTransport, type Lane } from './transport.ts'

/** Listens on the loopback interface; counts connections, and destroys them when disposed. */
const listen = async (server: Server) => {
  const open = new Set<Socket>()
  let accepted = 0
  server.on('connection', (socket: Socket) => {
    accepted += 1
    open.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => open.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    open,
    accepted: () => accepted,
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

const accessTo = (server: string, security: ConnectionSecurity = {}, proxy?: string): Access => ({
  server,
  headers: {},
  security,
  proxy,
})

/** Sends requests through the pools of one transport. */
const startClient = () => {
  const transport = createTransport()
  return {
    exchange: async (
      access: Access,
      { lane = 'requests', ...request }: Partial<HttpRequest> & { lane?: Lane } = {},
    ): Promise<string> => {
      const signal = new AbortController().signal
      const url = new URL(`${access.server}/path`)
      const agent = transport.agent(lane, access)
      return text(await send({ agent, url, method: 'GET', headers: {}, signal, ...request }))
    },
    [Symbol.asyncDispose]: transport[Symbol.asyncDispose],
  }
}

const greet: RequestListener = (request, response) => void response.end(`${request.method} ${request.url}`)

describe.skipIf(!canMakeCertificates())('over TLS', () => {
  const startTls = async (folder: string, listener: RequestListener) => {
    const { authorityFile, issue } = createAuthority(folder)
    const { certificateFile, keyFile } = issue('localhost')
    const server = createHttpsServer({ cert: readFileSync(certificateFile), key: readFileSync(keyFile) }, listener)
    return { ca: readFileSync(authorityFile, 'utf8'), ...(await listen(server)) }
  }

  test('the certificate is verified before anything is written', async () => {
    await using folder = await temporaryDirectory()
    await using server = await startTls(folder.path, greet)
    await using client = startClient()
    const access = accessTo(`https://127.0.0.1:${server.port}`, { ca: server.ca })
    expect(await client.exchange(access)).toBe('GET /path')
    let written = false
    const beforeWrite = () => {
      written = true
    }
    const unknown = accessTo(access.server, {})
    await expect(client.exchange(unknown, { beforeWrite })).rejects.toMatchObject({
      code: expect.stringMatching(/^(UNABLE_TO_|SELF_SIGNED_)/),
    })
    expect(written).toBe(false)
  })

  test('a handshake that takes too long ends, and nothing is written', async () => {
    await using silent = await listen(createTcpServer((socket) => socket.resume()))
    await using client = startClient()
    const request = { connectTimeout: 50, beforeWrite: () => expect.unreachable() }
    const access = accessTo(`https://127.0.0.1:${silent.port}`)
    await expect(client.exchange(access, request)).rejects.toMatchObject({ code: 'ERR_CONNECT_TIMEOUT' })
    await eventually(() => silent.open.size === 0, 'its connection is closed')
  })

  test('requests go through the tunnel of a proxy, and the certificate is that of the server behind it', async () => {
    await using folder = await temporaryDirectory()
    await using server = await startTls(folder.path, greet)
    const asked: string[] = []
    const proxyServer = createHttpServer()
    proxyServer.on('connect', (request, socket: Socket) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization']}`)
      const upstream = connect(server.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
        upstream.pipe(socket).pipe(upstream)
      })
      upstream.on('error', () => socket.destroy())
      socket.on('error', () => upstream.destroy())
    })
    await using proxy = await listen(proxyServer)
    await using client = startClient()
    const address = `http://user:word@127.0.0.1:${proxy.port}`
    const access = accessTo(`https://127.0.0.1:${server.port}`, { ca: server.ca }, address)
    let written = 0
    const beforeWrite = () => {
      written += 1
    }
    expect(await client.exchange(access, { beforeWrite })).toBe('GET /path')
    expect(await client.exchange(access, { beforeWrite, method: 'DELETE', body: '{}' })).toBe('DELETE /path')
    expect(written).toBe(2)
    const credentials = `Basic ${Buffer.from('user:word').toString('base64')}`
    expect(asked).toEqual([`127.0.0.1:${server.port} ${credentials}`])
    await expect(client.exchange(accessTo(access.server, {}, address))).rejects.toMatchObject({
      code: expect.stringMatching(/^(UNABLE_TO_|SELF_SIGNED_)/),
    })
  })

  test('a new certificate takes new connections; responses on the old ones are read to their end', async () => {
    await using folder = await temporaryDirectory()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await using server = await startTls(folder.path, (request, response) => {
      response.write('begun')
      if (request.method === 'GET') response.end()
      else void held.then(() => response.end(' and ended'))
    })
    await using client = startClient()
    const access = accessTo(`https://127.0.0.1:${server.port}`, { ca: server.ca })
    const slow = client.exchange(access, { method: 'POST', body: '' })
    await eventually(() => server.accepted() === 1, 'the slow request is sent')
    await client.exchange(access)
    const renewed = accessTo(access.server, { ca: [server.ca, server.ca] as never })
    await client.exchange(renewed)
    expect(server.accepted()).toBe(3)
    await eventually(() => server.open.size === 2, 'the idle old connection is closed')
    release()
    expect(await slow).toBe('begun and ended')
    await eventually(() => server.open.size === 1, 'the other old connection is closed after its response')
  })
})

test('every request fails when connections are refused, also those that wait for one', async () => {
  const gone = await listen(createTcpServer())
  await gone[Symbol.asyncDispose]()
  await using client = startClient()
  const access = accessTo(`http://127.0.0.1:${gone.port}`)
  const results = await Promise.allSettled(Array.from({ length: 50 }, () => client.exchange(access)))
  expect(new Set(results.map((result) => result.status === 'rejected' && result.reason.code))).toEqual(
    new Set(['ECONNREFUSED']),
  )
})

test('a request that is aborted while it waits for a connection does not keep others from it', async () => {
  const answers: (() => void)[] = []
  await using server = await listen(
    createHttpServer((_, response) => void answers.push(() => response.end('answered'))),
  )
  await using client = startClient()
  const access = accessTo(`http://127.0.0.1:${server.port}`)
  const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()].map(
    (controller) => ({ controller, answer: client.exchange(access, { lane: 'leases', signal: controller.signal }) }),
  )
  if (!first || !second || !third) throw new Error('unreachable')
  await eventually(() => answers.length === 1, 'the first request arrives')
  second.controller.abort()
  await expect(second.answer).rejects.toMatchObject({ name: 'AbortError' })
  first.controller.abort()
  await expect(first.answer).rejects.toMatchObject({ name: 'AbortError' })
  await eventually(() => answers.length === 2, 'the third request arrives')
  answers[1]?.()
  expect(await third.answer).toBe('answered')
  expect(server.accepted()).toBe(2)
})

test('an aborted response throws and closes its connection', async () => {
  await using server = await listen(createHttpServer((_, response) => void response.write('a line\n')))
  await using transport = createTransport()
  const access = accessTo(`http://127.0.0.1:${server.port}`)
  const ending = new AbortController()
  const { signal } = ending
  const agent = transport.agent('watches', access)
  const response = await send({ agent, url: new URL(access.server), method: 'GET', headers: {}, signal })
  const read: string[] = []
  const reading = (async () => {
    for await (const chunk of response) {
      read.push(String(chunk))
      ending.abort()
    }
  })()
  await expect(reading).rejects.toThrow()
  expect(read).toEqual(['a line\n'])
  await eventually(() => server.open.size === 0, 'its connection is closed')
  const left = await send({
    agent,
    url: new URL(access.server),
    method: 'GET',
    headers: {},
    signal: AbortSignal.any([]),
  })
  for await (const _ of left) break
  await eventually(() => server.open.size === 0, 'a response that is left is closed, too')
})

test('a body that stops arriving ends with its signal', async () => {
  await using server = await listen(
    createHttpServer((_, response) => void response.writeHead(200, { 'content-length': '100' }).write('part')),
  )
  await using client = startClient()
  await expect(
    client.exchange(accessTo(`http://127.0.0.1:${server.port}`), { signal: AbortSignal.timeout(100) }),
  ).rejects.toThrow()
  await eventually(() => server.open.size === 0, 'its connection is closed')
})

test('a response that breaks off throws', async () => {
  await using server = await listen(
    createHttpServer((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('part')
      void sleep(10).then(() => response.destroy())
    }),
  )
  await using client = startClient()
  await expect(client.exchange(accessTo(`http://127.0.0.1:${server.port}`))).rejects.toMatchObject({
    code: 'ECONNRESET',
  })
})
