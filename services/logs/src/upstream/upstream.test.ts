import { expect, test } from 'vitest'
import { listenForTests } from './http-server-for-tests.ts'
import { createUpstream, UpstreamRefused } from './upstream.ts'

test('a server is asked, and what it says is given back', async () => {
  await using server = await listenForTests((request, response) => response.end(`${request.method} ${request.url}`))
  await using upstream = createUpstream({ blockPrivate: false })
  const response = await upstream.fetch(`http://localhost:${server.port}/a`, { method: 'POST', body: 'x' })
  expect(await response.text()).toBe('POST /a')
})

test('a name is checked by the addresses that it stands for', async () => {
  await using server = await listenForTests((_, response) => response.end('reached'))
  await using upstream = createUpstream({ blockPrivate: true })
  await expect(upstream.fetch(`http://localhost:${server.port}/`)).rejects.toThrow(UpstreamRefused)
})

test('a redirect within the host is followed, one to another is not', async () => {
  await using server = await listenForTests((request, response) => {
    if (request.url === '/here') response.writeHead(307, { location: '/there' }).end()
    else if (request.url === '/away') response.writeHead(302, { location: 'http://203.0.113.7/' }).end()
    else if (request.url === '/round') response.writeHead(302, { location: '/round' }).end()
    else response.end(`${request.method} ${request.url}`)
  })
  await using upstream = createUpstream({ blockPrivate: false })
  const base = `http://127.0.0.1:${server.port}`
  const followed = await upstream.fetch(`${base}/here`, { method: 'POST', body: '{}' })
  expect(await followed.text()).toBe('POST /there')
  await expect(upstream.fetch(`${base}/away`)).rejects.toThrow('redirects to another host are not followed')
  await expect(upstream.fetch(`${base}/round`)).rejects.toThrow('in a circle')
})
