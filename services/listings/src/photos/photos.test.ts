import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '@trellis/kit/rpc'
import { openStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { PhotosServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/photos.ts'
import { listenForTests } from '@trellis/test/support/http-server'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openService } from '../../test/open-service.ts'
import { local } from '../../test/searches.ts'
import { storeListings } from '../found/store.ts'
import { drawPhoto } from '../marketplace/demo/photo.ts'
import type { Listing } from '../records.ts'
import { type ListingsTables, migrations } from '../schemas.ts'

const photo = drawPhoto('a')
const listing = (photoUrls: readonly string[]): Listing => ({
  platform: 'marketplace',
  platformListingId: '130000000001',
  title: 'Camera',
  price: 10,
  priceHigh: null,
  currency: 'USD',
  condition: '',
  sellerPlatformId: 'ada',
  url: 'https://site.test/itm/130000000001',
  photoUrls,
  listingAgeDays: 0,
  buyingFormat: 'fixed_price',
  endsAt: null,
  bidCount: null,
  categoryName: null,
})

let opened: AsyncDisposableStack
let robots: string
let requests: IncomingMessage[]
let answer: (request: IncomingMessage, response: ServerResponse) => void
let get: (
  n?: number,
  options?: { caller?: Caller; id?: string; range?: string; signal?: AbortSignal },
) => Promise<{ body: Buffer; mediaType: string; etag: string; headers: Record<string, string> }>

beforeEach(async () => {
  opened = new AsyncDisposableStack()
  robots = ''
  requests = []
  answer = (_request, response) => response.end(photo)
  const site = opened.use(
    await listenForTests((request, response) => {
      if (request.url === '/robots.txt') return void response.end(robots)
      requests.push(request)
      answer(request, response)
    }),
  )
  const { path } = opened.use(await temporaryDirectory())
  const service = await openService(
    { dataDirectory: path },
    { MARKETPLACE_BASE_URL: site.url, MARKETPLACE_PHOTO_GAP_MS: '0' },
  )
  opened.defer(service.close)
  const { db } = opened.use(
    await openStore<ListingsTables>({ dataDirectory: path, name: 'listings', migrations, log: silentLog }),
  )
  // The third is on a host that no setting names, at a private address; the fourth on another name for it.
  const photos = ['/a.jpg', '/b.jpg'].map((name) => site.url + name)
  const foreign = ['http://10.0.0.1/c.jpg', `http://localhost:${site.port}/d.jpg`, 'http://169.254.169.254/latest']
  await storeListings(db, { id: 's', userId: 'local' }, [listing([...photos, ...foreign])], new Date())
  const client = service.connect(PhotosServiceDefinition)
  get = async (n = 0, { caller = local, id = '130000000001', range, signal } = {}) => {
    const headers = new Map<string, string>()
    const head = { status: () => undefined, header: (name: string, value: string) => void headers.set(name, value) }
    const chunks: Uint8Array[] = []
    let [mediaType, etag] = ['', '']
    const options = { caller, head, ...(signal ? { signal } : {}) }
    for await (const { frame } of client.getPhoto({ platformListingId: id, n, range: range ?? null }, options)) {
      if (frame?.$case === 'head') [mediaType, etag] = [frame.value.mediaType, frame.value.etag ?? '']
      if (frame?.$case === 'chunk') chunks.push(frame.value)
    }
    return { body: Buffer.concat(chunks), mediaType, etag, headers: Object.fromEntries(headers) }
  }
})
afterEach(() => opened.disposeAsync())

describe('a photo of a listing', () => {
  test('is fetched once, with an honest user agent, and served with its type, a tag and permission to cache', async () => {
    const first = await get()
    expect(first).toMatchObject({ mediaType: 'image/png', headers: { 'cache-control': 'private, max-age=86400' } })
    expect(first.body.equals(photo)).toBe(true)
    expect(await get()).toEqual(first)
    expect((await get(1)).etag).toBe(first.etag)
    expect(requests.map(({ url }) => url)).toEqual(['/a.jpg', '/b.jpg'])
    expect(requests[0]?.headers['user-agent']).toContain('TrellisListings')
  })

  test('is fetched once for concurrent requests, even if one of them is abandoned', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<ServerResponse>()
    answer = (_request, response) => arrive(response)
    const caller = new AbortController()
    const abandoned = get(0, { signal: caller.signal })
    const response = await arrived
    const waiting = get(0)
    caller.abort()
    await expect(abandoned).rejects.toThrow()
    answer = (_request, again) => again.end(photo)
    response.destroy()
    expect((await waiting).body.equals(photo)).toBe(true)
  })

  test('is served in ranges', async () => {
    expect((await get(0, { range: 'bytes=0-3' })).body.toString('latin1')).toBe('\x89PNG')
    await expect(get(0, { range: 'bytes=9999999-' })).rejects.toMatchObject({ status: 416 })
  })

  test.each<[string, string, Caller]>([
    ['another user', 'None of your searches', { userId: 'eve', kind: 'account', tier: 'paid' }],
    ['a guest', 'None of your searches', { userId: 'guest:1', kind: 'guest', tier: 'free' }],
    ['a visitor without a session', 'open a session', { userId: 'anonymous', kind: 'anonymous', tier: 'free' }],
  ])('is 404 for %s, without a request to the marketplace', async (_who, sentence, caller) => {
    await expect(get(0, { caller })).rejects.toMatchObject({ status: 404, detail: expect.stringContaining(sentence) })
    expect(requests).toHaveLength(0)
  })

  test('is 404 beyond the last one, and for an unknown listing', async () => {
    await expect(get(5)).rejects.toMatchObject({ status: 404, detail: expect.stringContaining('from 0 to 4') })
    await expect(get(0, { id: '1' })).rejects.toMatchObject({ status: 404 })
  })

  test.each<[string, number, (response: ServerResponse) => void]>([
    ['404 if the marketplace no longer has it', 404, (response) => response.writeHead(404).end(photo)],
    ['502 if the marketplace refuses', 502, (response) => response.writeHead(403).end()],
    ['502 if the marketplace fails', 502, (response) => response.writeHead(500).end()],
    ['502 if the connection breaks', 502, (response) => response.writeHead(200, { 'content-length': 9 }).destroy()],
    ['502 if it is larger than 5 MB', 502, (response) => response.end(Buffer.concat([photo, Buffer.alloc(5_000_000)]))],
    [
      '502 if it redirects to another host',
      502,
      (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    ],
    [
      '415 if it is SVG under the name of a JPEG',
      415,
      (response) =>
        response.writeHead(200, { 'content-type': 'image/jpeg' }).end('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    ],
    ['415 if it is a page', 415, (response) => response.end('<!DOCTYPE html><p>Hello</p>')],
    ['415 if it is empty', 415, (response) => response.end()],
  ])('is %s', async (_what, status, respond) => {
    answer = (_request, response) => respond(response)
    await expect(get()).rejects.toMatchObject({ status, detail: expect.any(String) })
  })

  test('is never requested where robots.txt forbids it', async () => {
    robots = 'User-agent: *\nDisallow: /a.jpg\n'
    await expect(get(0)).rejects.toMatchObject({ status: 502, detail: expect.stringContaining('robots.txt') })
    expect((await get(1)).mediaType).toBe('image/png')
    expect(requests.map(({ url }) => url)).toEqual(['/b.jpg'])
  })

  test('is fetched where it redirects to on the same host, unless robots.txt forbids that', async () => {
    robots = 'User-agent: *\nDisallow: /challenge\n'
    answer = ({ url }, response) => {
      if (url === '/a.jpg') response.writeHead(301, { location: '/moved.jpg' }).end()
      else if (url === '/b.jpg') response.writeHead(302, { location: '/challenge?for=b.jpg' }).end()
      else response.end(photo)
    }
    expect((await get(0)).body.equals(photo)).toBe(true)
    await expect(get(1)).rejects.toMatchObject({ status: 502, detail: expect.stringContaining('/challenge') })
    expect(requests.map(({ url }) => url)).toEqual(['/a.jpg', '/moved.jpg', '/b.jpg'])
  })

  test.each([
    ['a private address', 2],
    ['a name that resolves to one', 3],
    ['the metadata service of a cloud', 4],
  ])('that a page places at %s is never requested', async (_what, n) => {
    await expect(get(n)).rejects.toMatchObject({
      status: 502,
      detail: expect.stringContaining('is not an allowed address'),
    })
    expect(requests).toHaveLength(0)
  })
})
