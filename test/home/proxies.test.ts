import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@trellis/distributed/servers'
import { buildFolder, buildWeb } from '@trellis/web/build'
import { Agent, FormData, fetch, type RequestInit } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canMakeCertificates, createAuthority } from '../support/certificates.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { startTrellis, type Trellis } from '../support/trellis.ts'
import { proxies, proxyMissing, startProxy } from './proxies.ts'

const name = 'trellis.example.com'
const json = { 'content-type': 'application/json' }

describe.skipIf(!canMakeCertificates()).each(
  Object.entries(proxies).map(([title, proxy]) => {
    const missing = proxyMissing(proxy)
    return { title: missing === undefined ? title : `${title} (skipped: ${missing})`, proxy, missing }
  }),
)('Trellis behind $title', ({ proxy, missing }) => {
  const resources = new AsyncDisposableStack()
  let origin = ''
  let trellis: Trellis
  /** Sends a request as a client that resolves the name of the server, and trusts its certificate. */
  let send: (path: string, init?: RequestInit) => ReturnType<typeof fetch>

  beforeAll(async () => {
    if (missing !== undefined) return
    await buildWeb()
    const { path: folder } = resources.use(await temporaryDirectory())
    const authority = createAuthority(folder)
    const port = await freePort()
    origin = `https://${name}:${port}`
    trellis = resources.use(
      await startTrellis({ EDGE_URL: origin, LOGS_WATCH: '0', TRELLIS_WEB_DIR: buildFolder }, { form: 'embedded' }),
    )
    const site = { folder: join(folder, 'proxy'), port, upstream: new URL(trellis.origin).host }
    resources.use(await startProxy(proxy, { ...site, ...authority.issue(name) }))
    const dispatcher = new Agent({
      connect: {
        ca: await readFile(authority.authorityFile, 'utf8'),
        lookup: (_name, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]),
      },
    })
    resources.defer(() => dispatcher.destroy())
    send = (path, init) => fetch(new URL(path, origin), { ...init, dispatcher })
  })
  afterAll(() => resources.disposeAsync())

  /** Pushes a line as a page of an origin does. */
  const push = (text: string, from: string) =>
    send('/logs/api/glean/batch', {
      method: 'POST',
      headers: { ...json, origin: from, 'sec-fetch-site': from === origin ? 'same-origin' : 'cross-site' },
      body: JSON.stringify({ source_id: 'shop', entries: [{ text }] }),
    })

  test.skipIf(missing !== undefined)('the app is served, and its own pages may change something', async () => {
    const page = await send('/home')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect((await push('from its page', origin)).status).toBe(200)
    expect((await push('from another page', 'https://other.example.com')).status).toBe(403)
  })

  test.skipIf(missing !== undefined)('lines arrive live, and an upload may be large', async () => {
    const leaving = new AbortController()
    const stream = await send('/logs/api/tail', { signal: leaving.signal })
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
    await push('a line that is awaited', origin)
    let shown = ''
    while (!shown.includes('a line that is awaited')) shown += (await reader?.read())?.value ?? ''
    leaving.abort()

    const upload = new FormData()
    const lines = Array.from({ length: 60_000 }, (_, line) => `2026-03-01T09:00:00Z INFO line ${line} of many`)
    upload.append('file', new File([lines.join('\n')], 'large.log'))
    const sent = await send('/logs/api/ingest/upload?wait=true', { method: 'POST', body: upload })
    expect([sent.status, await sent.json()]).toMatchObject([200, { status: 'done', counts: { lines: 60_000 } }])
  })

  test.skipIf(missing !== undefined)('its clients do not count as callers on this machine', async () => {
    const change = { method: 'PATCH', headers: json, body: JSON.stringify({ llm_base_url: 'http://127.0.0.1:9' }) }
    expect((await send('/logs/api/settings', change)).status).toBe(403)
    expect(
      (await send('/logs/api/settings', { ...change, headers: { ...json, 'x-forwarded-for': '127.0.0.1' } })).status,
    ).toBe(403)
    expect((await fetch(`${trellis.origin}/logs/api/settings`, change)).status).toBe(200)
  })
})
