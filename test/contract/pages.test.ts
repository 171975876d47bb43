import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveProbe } from '../probe/serve.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const html =
  '<!doctype html><meta name="trellis" content="{}" /><script type="module" src="./assets/app-1.js"></script>'
const script = 'console.log("trellis")'

let opened: AsyncDisposableStack
let web: string

beforeAll(async () => {
  opened = new AsyncDisposableStack()
  web = opened.use(await temporaryDirectory()).path
  await mkdir(join(web, 'assets'))
  await writeFile(join(web, 'index.html'), html)
  await writeFile(join(web, 'assets', 'app-1.js'), script)
  await writeFile(join(web, 'assets', 'app-1.js.br'), brotliCompressSync(script))
  await writeFile(join(web, 'assets', 'app-1.js.gz'), gzipSync(script))
})
afterAll(() => opened.disposeAsync())

const serve = async (environment: Record<string, string> = {}) => {
  const served = await serveProbe('in process', { TRELLIS_WEB_DIR: web, ...environment })
  const get = (path: string, init: RequestInit = {}) =>
    fetch(`${served.origin}${path}`, { redirect: 'manual', ...init })
  return { ...served, get, [Symbol.asyncDispose]: served.close }
}

describe('pages', () => {
  test.each(['/home', '/logs', '/logs/', '/logs/incidents/1', '/logs/branches/graz', '/listings/item/1', '/music?t=1'])(
    'the web app is served at %s, which the API does not use',
    async (path) => {
      await using served = await serve()
      const answer = await served.get(path)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      const text = await answer.text()
      expect(text).toContain('src="/assets/app-1.js"')
      expect(text).toContain('&quot;mounts&quot;:[&quot;/probe&quot;]')
      const head = await served.get(path, { method: 'HEAD' })
      expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', answer.headers.get('etag')])
    },
  )

  test.each([
    '/logs/api/nothing',
    '/logs/api',
    '/logs/branches/graz/api/nothing',
    '/music/health',
    '/listings/openapi.json',
    '/logs/assets/nothing.js',
    '/assets/nothing.js',
    '/assets/..%2findex.html',
    '/nothing',
  ])('%s is 404 with a sentence, never the page', async (path) => {
    await using served = await serve()
    const answer = await served.get(path)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8'])
    expect(await answer.json()).toEqual({ detail: expect.stringContaining('There is nothing at') })
  })

  test('a browser at an unknown path gets the web app with status 404', async () => {
    await using served = await serve()
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    for (const path of ['/nothing', '/nothing/further?x=1']) {
      const answer = await served.get(path, { headers })
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'/)
      expect(await answer.text()).toContain('src="/assets/app-1.js"')
      const known = { ...headers, 'if-none-match': answer.headers.get('etag') ?? '' }
      expect((await served.get(path, { headers: known })).status).toBe(404)
    }
    for (const path of ['/probe/api/nothing', '/assets/nothing.js', '/music/health', '/logs/branches/graz/api/nothing'])
      expect((await served.get(path, { headers })).headers.get('content-type')).toMatch(/json/)
    expect((await served.get('/nothing', { method: 'POST', headers })).headers.get('content-type')).toMatch(/json/)
  })

  test('the root redirects to the home page, and other methods find no page', async () => {
    await using served = await serve()
    const root = await served.get('/')
    expect([root.status, root.headers.get('location')]).toEqual([302, '/home'])
    expect((await served.get('/logs/incidents', { method: 'POST' })).status).toBe(404)
  })

  test('the policy of a page allows nothing inline and nothing from elsewhere; the API keeps its closed one', async () => {
    await using served = await serve()
    const policy = (await served.get('/home')).headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toMatch(/unsafe|nonce|sha256|https?:/)
    const api = await served.get('/probe/api/echo/x')
    expect(api.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
  })

  test('a page is revalidated by its ETag, and an asset is immutable', async () => {
    await using served = await serve()
    const page = await served.get('/home')
    const etag = page.headers.get('etag') ?? ''
    expect(page.headers.get('cache-control')).toBe('no-cache')
    const again = await served.get('/logs', { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const asset = await served.get('/assets/app-1.js')
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(asset.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  })

  test.each(['/assets', '/listings/assets', '/logs/assets', '/music/assets'])(
    'assets are served at %s, compressed as the client accepts',
    async (prefix) => {
      await using served = await serve()
      const { edge } = served
      const url = `${prefix}/app-1.js`
      const brotli = await edge.server.inject({ url, headers: { 'accept-encoding': 'gzip, br', host: 'localhost' } })
      expect([brotli.headers['content-encoding'], brotli.headers.vary]).toEqual(['br', 'Accept-Encoding'])
      expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(script)
      const plain = await edge.server.inject({ url, headers: { 'accept-encoding': 'identity', host: 'localhost' } })
      expect([plain.headers['content-encoding'], plain.payload]).toEqual([undefined, script])
    },
  )

  test('without a build, pages are 503 with a sentence, and the API works', async () => {
    await using served = await serve({ TRELLIS_WEB_DIR: join(web, 'nothing') })
    const answer = await served.get('/home')
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { detail: expect.stringContaining('The web app has not been built') },
    ])
    expect((await served.get('/probe/api/echo/x')).status).toBe(200)
  })

  test('a build that cannot be read is 503 with what is wrong, and not taken for a missing one', async () => {
    await mkdir(join(web, 'broken', 'index.html'), { recursive: true })
    await mkdir(join(web, 'bare'), { recursive: true })
    await writeFile(join(web, 'bare', 'index.html'), '<html></html>')
    for (const [folder, reason] of [
      ['broken', 'EISDIR'],
      ['bare', 'it has no assets'],
    ] as const) {
      await using served = await serve({ TRELLIS_WEB_DIR: join(web, folder) })
      const answer = await served.get('/home')
      const detail = expect.stringContaining(`The web app of this server cannot be read (${reason})`)
      expect([answer.status, await answer.json()]).toEqual([503, { detail }])
      expect((await served.get('/probe/api/echo/x')).status).toBe(200)
    }
  })

  test('under the path of EDGE_URL, requests, redirects, assets and documents carry it', async () => {
    await using served = await serve({ EDGE_URL: 'https://example.test/trellis' })
    for (const path of ['/trellis', '/trellis/']) {
      expect((await served.get(path)).headers.get('location')).toBe('/trellis/home')
    }
    const page = await (await served.get('/trellis/logs/incidents')).text()
    expect(page).toContain('src="/trellis/assets/app-1.js"')
    expect(page).toContain('&quot;base&quot;:&quot;/trellis&quot;')
    for (const path of ['/trellis/assets/app-1.js', '/trellis/probe/api/echo/x', '/trellis/openapi.json', '/health']) {
      expect((await served.get(path)).status, path).toBe(200)
    }
    const docs = await (await served.get('/trellis/docs/static/swagger-initializer.js')).text()
    expect(docs).toContain('/trellis/openapi.json')
    const { detail } = (await (await served.get('/trellis/probe/nothing')).json()) as { detail: string }
    expect(detail).toContain('See /trellis/docs')
    const document = await (await served.get('/trellis/docs')).text()
    const files = [...document.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '')
    expect(files.length).toBeGreaterThan(3)
    for (const path of files) {
      expect(path).toMatch(/^\/trellis\/docs\//)
      expect((await served.get(path)).status, path).toBe(200)
    }
    for (const path of ['/openapi.json', '/probe/openapi.json']) {
      const { servers } = (await (await served.get(`/trellis${path}`)).json()) as { servers: object[] }
      expect(servers, path).toEqual([{ url: '/trellis' }])
    }
  })

  test('the files of /docs are loaded over HTTP, too, where the installation has no certificate', async () => {
    await using served = await serve()
    const policy = (await served.get('/docs')).headers.get('content-security-policy') ?? ''
    expect(policy).toContain("script-src 'self'")
    expect(policy).not.toMatch(/upgrade-insecure-requests|https:|unsafe/)
  })

  test('the page learns where to sign in only in cloud mode', async () => {
    const settings = { SIGN_IN_URL: 'https://sign-in.test/start' }
    await using local = await serve(settings)
    expect(await (await local.get('/home')).text()).not.toContain('sign-in.test')
    await using cloud = await serve({
      ...settings,
      CLOUD_MODE: '1',
      GATEWAY_JWT_SECRET: 'a-secret-of-thirty-two-characters',
    })
    expect(await (await cloud.get('/home')).text()).toContain('https://sign-in.test/start')
  })
})

describe('compression of JSON', () => {
  const tags = (count: number) => Array.from({ length: count }, (_, index) => `tags=word-${index}`).join('&')

  test('an answer over 2 KB is gzip for clients that accept it, and the same without', async () => {
    await using served = await serve()
    const inject = (url: string, encoding: string) =>
      served.edge.server.inject({
        url,
        headers: { 'accept-encoding': encoding, host: 'localhost', 'x-request-id': 'the-same-id' },
      })
    const large = `/probe/api/echo/x?${tags(400)}`
    const plain = await inject(large, 'identity')
    expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'Accept-Encoding'])
    const packed = await inject(large, 'gzip, br')
    expect([packed.headers['content-encoding'], packed.headers.vary]).toEqual(['gzip', 'Accept-Encoding'])
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3)
    expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.payload)
    expect((await inject('/probe/api/echo/x', 'gzip')).headers['content-encoding']).toBe(undefined)
  })

  test('an event stream is never compressed', async () => {
    await using served = await serve()
    const stream = await served.get('/probe/api/count?to=3', { headers: { 'accept-encoding': 'gzip' } })
    expect(stream.headers.get('content-encoding')).toBe(null)
    await stream.text()
  })

  test('documents of the API are compressed, too', async () => {
    await using served = await serve()
    const answer = await served.edge.server.inject({
      url: '/openapi.json',
      headers: { 'accept-encoding': 'gzip', host: 'localhost' },
    })
    expect(JSON.parse(gunzipSync(answer.rawPayload).toString()).openapi).toMatch(/^3\.1/)
  })
})
