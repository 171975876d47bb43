import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { drawnBackend } from '@trellis/test/support/exploration'
import { type Answering, startHttpServer } from '@trellis/test/support/http-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openService } from '../incidents/service-for-tests.ts'
import { logsSchema } from '../schemas.ts'
import { pauseAfter } from './outbox.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 9, minute)).toISOString()

const lines = [
  { text: 'login of user=ann from 192.0.2.7 refused, password=hunter2', timestamp_iso: at(1), severity: 'ERROR' },
  { text: 'mail to ann@example.com from 192.0.2.7 bounced, host=web1', timestamp_iso: at(2), severity: 'WARN' },
]

type Service = Awaited<ReturnType<typeof openService>>

const withIncident = async (service: Service) => {
  await service.push('syslog:web1:sshd', lines)
  return await service.incidents.createIncident({
    label: 'ann cannot log in from 192.0.2.7',
    startedAt: at(0),
    endedAt: at(5),
    issueType: 'auth',
  })
}

const download = async (service: Service, id: string, sanitize = false) => {
  const chunks: Uint8Array[] = []
  let filename = ''
  for await (const { frame } of service.incidents.exportBundle({ id, sanitize })) {
    if (frame?.$case === 'head') filename = frame.value.filename ?? ''
    if (frame?.$case === 'chunk') chunks.push(frame.value)
  }
  const text = Buffer.concat(chunks).toString()
  return { filename, text, bundle: JSON.parse(text) }
}

async function* body(content: string | Buffer, idempotencyKey?: string) {
  yield { part: { $case: 'parameters' as const, value: { idempotencyKey } } }
  const bytes = Buffer.from(content)
  for (let start = 0; start < bytes.length; start += 1_048_576)
    yield { part: { $case: 'chunk' as const, value: bytes.subarray(start, start + 1_048_576) } }
}

describe.each(drawnBackend(databases, 'logs/bundles/bundles'))('bundles on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('through the API', () => {
    let database: RunningDatabase
    beforeAll(async () => {
      database = await start()
    })
    afterAll(() => database?.[Symbol.asyncDispose]())
    const open = async (environment: Record<string, string> = {}) => {
      await using opened = new AsyncDisposableStack()
      const { location } = opened.use(await database.place(logsSchema))
      const service = opened.use(await openService({ store: location, environment }))
      const stack = opened.move()
      return { ...service, [Symbol.asyncDispose]: () => stack.disposeAsync() }
    }

    test('GET /api/incidents/{id}/bundle exports a versioned JSON object with the incident and its entries', async () => {
      await using service = await open()
      const { id } = await withIncident(service)
      const { filename, bundle } = await download(service, id)
      expect(filename).toBe(`incident-${id}.json`)
      expect(bundle).toMatchObject({
        bundle_version: 1,
        service_version: '0.7.0',
        exported_at: expect.stringMatching(/Z$/),
        sanitized: false,
        incident: {
          id,
          label: 'ann cannot log in from 192.0.2.7',
          issue_type: 'auth',
          ended_at: at(5),
          severity: null,
        },
        entries: [
          { source_id: 'syslog:web1:sshd', text: lines[0]?.text, severity: 'ERROR', timestamp_iso: at(1) },
          { text: lines[1]?.text },
        ],
        entry_count: 2,
      })
      await expect(download(service, 'none')).rejects.toMatchObject({ kind: 'not_found' })
    })

    test('a sanitize option masks IPv4 addresses, e-mail addresses, user=, host= and password values', async () => {
      await using service = await open()
      const { id } = await withIncident(service)
      const { text, bundle } = await download(service, id, true)
      for (const secret of ['192.0.2.7', 'ann@example.com', 'user=ann', 'web1', 'hunter2'])
        expect(text).not.toContain(secret)
      expect(bundle).toMatchObject({
        sanitized: true,
        incident: { label: '[user-1] cannot log in from [ip4-1]' },
        entries: [
          {
            text: 'login of user=[user-1] from [ip4-1] refused, password=[password]',
            source_id: 'syslog:[host-1]:sshd',
          },
          { text: 'mail to [email-1] from [ip4-1] bounced, host=[host-1]' },
        ],
      })
      const { entries } = (await download(service, id)).bundle
      expect(bundle.entries[0].entry_id).not.toBe(entries[0].entry_id)
    })

    test('POST /api/bundles receives what was exported, and GET /api/bundles lists it by bundling time and issue type', async () => {
      await using service = await open()
      const { id } = await withIncident(service)
      const { text, bundle } = await download(service, id)
      const received = await service.incidents.receiveBundle(body(text))
      const later = JSON.stringify({ ...bundle, exported_at: '2030-01-01T00:00:00Z', incident: { label: 'other' } })
      await service.incidents.receiveBundle(body(later))
      const all = await service.incidents.listBundles({})
      expect(all.bundles.map(({ label }) => label)).toEqual(['other', bundle.incident.label])
      expect(await service.incidents.listBundles({ issueType: 'auth' })).toMatchObject({
        bundles: [{ id: received.id, issueType: 'auth', entryCount: 2, bundleVersion: 1, sanitized: false }],
      })
      expect((await service.incidents.listBundles({ since: '2029-01-01' })).bundles).toHaveLength(1)
      const page = await service.incidents.listBundles({ limit: 1 })
      expect((await service.incidents.listBundles({ limit: 1, cursor: page.nextCursor })).bundles[0]?.id).toBe(
        received.id,
      )
      expect(JSON.parse((await service.incidents.getBundle(received)).bundle)).toEqual(bundle)
      await service.incidents.deleteBundle(received)
      await expect(service.incidents.getBundle(received)).rejects.toMatchObject({ kind: 'not_found' })
    })

    const good = { bundle_version: 1, exported_at: at(0), incident: { label: 'x' }, entries: [] }
    test.each([
      ['an unknown version', JSON.stringify({ ...good, bundle_version: 2 }), 'invalid'],
      ['no incident', JSON.stringify({ ...good, incident: null }), 'invalid'],
      ['entries that are not objects', JSON.stringify({ ...good, entries: [7] }), 'invalid'],
      ['no time', JSON.stringify({ ...good, exported_at: 'soon' }), 'invalid'],
      ['invalid JSON', '{"bundle_version": 1', 'malformed'],
      ['a list', '[]', 'malformed'],
      ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'malformed'],
      ['an empty body', '', 'malformed'],
      ['too many levels', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, 'malformed'],
      ['more than the limit', Buffer.alloc(33 * 1024 * 1024, 0x20), 'too_large'],
    ])('refuses a bundle with %s', async (_, content, kind) => {
      await using service = await open()
      await expect(service.incidents.receiveBundle(body(content))).rejects.toMatchObject({ kind })
      expect((await service.incidents.listBundles({})).bundles).toEqual([])
    })

    test('a bundle resent with its idempotency key is stored once', async () => {
      await using service = await open()
      const first = await service.incidents.receiveBundle(body(JSON.stringify(good), 'k'))
      expect(await service.incidents.receiveBundle(body(JSON.stringify(good), 'k'))).toEqual(first)
      expect((await service.incidents.listBundles({})).bundles).toHaveLength(1)
    })

    test('another bundle with an idempotency key that was used is refused, and names the header', async () => {
      await using service = await open()
      await service.incidents.receiveBundle(body(JSON.stringify(good), 'k'))
      const other = JSON.stringify({ ...good, incident: { label: 'y' } })
      await expect(service.incidents.receiveBundle(body(other, 'k'))).rejects.toMatchObject({
        kind: 'invalid',
        detail: [{ loc: ['header', 'Idempotency-Key'], msg: expect.stringContaining('a key of its own') }],
      })
      expect((await service.incidents.listBundles({})).bundles).toMatchObject([{ label: 'x' }])
      expect(await service.incidents.receiveBundle(body(other, 'l'))).toMatchObject({ id: expect.any(String) })
    })

    test('POST /api/incidents/{id}/send pushes the bundle to the configured bundle endpoint, and supports the sanitize option', async () => {
      await using receiver = await startHttpServer(() => ({ status: 201, body: { id: 'b' } }))
      await using service = await open({
        SERVICE_BUNDLE_ENDPOINT: `${receiver.url}/logs/api/bundles?hint=x`,
        SERVICE_BUNDLE_TOKEN: 'key-of-the-hub',
      })
      const { id } = await withIncident(service)
      const sent = await service.incidents.sendBundle({ id, sanitize: true })
      expect(sent).toMatchObject({
        incidentId: id,
        status: 'sent',
        sanitized: true,
        destination: `${receiver.url}/logs/api/bundles`,
        attempts: 1,
      })
      // Known before anything is sent, and without what may be secret.
      expect((await service.incidents.listSentBundles({})).receiver).toBe(`${receiver.url}/logs/api/bundles`)
      expect(receiver.requests).toMatchObject([
        {
          method: 'POST',
          headers: { authorization: 'Bearer key-of-the-hub', 'idempotency-key': sent.id },
          body: { sanitized: true },
        },
      ])
      expect(receiver.requests[0]?.text).not.toContain('192.0.2.7')
    })

    test('sending is 503 without SERVICE_BUNDLE_ENDPOINT, and 404 for an unknown incident', async () => {
      await using service = await open()
      const { id } = await withIncident(service)
      await expect(service.incidents.sendBundle({ id })).rejects.toMatchObject({
        kind: 'unavailable',
        message: expect.stringContaining('SERVICE_BUNDLE_ENDPOINT'),
      })
      expect((await service.incidents.listSentBundles({})).receiver).toBeUndefined()
      await expect(service.incidents.sendBundle({ id: 'none' })).rejects.toMatchObject({ kind: 'not_found' })
    })

    test('a HEAD request for a bundle is not recorded as an export', async () => {
      await using service = await open()
      const { id } = await withIncident(service)
      for await (const { frame } of service.incidents.exportBundle({ id }, { isHeadOnly: true }))
        expect(frame).toBeDefined()
      expect((await service.incidents.listSentBundles({})).sentBundles).toEqual([])
    })

    test('sent bundles are recorded for every export: GET /api/sent-bundles', async () => {
      await using receiver = await startHttpServer(() => ({ status: 200 }))
      await using service = await open({ SERVICE_BUNDLE_ENDPOINT: receiver.url })
      const { id } = await withIncident(service)
      await download(service, id, true)
      await service.incidents.sendBundle({ id })
      await service.incidents.deleteIncident({ id })
      const { sentBundles } = await service.incidents.listSentBundles({})
      expect(sentBundles).toMatchObject([
        { incidentId: id, status: 'sent', sanitized: false },
        { incidentId: id, destination: 'download', status: 'downloaded', sanitized: true },
      ])
      expect(sentBundles.every(({ sentAt }) => sentAt)).toBe(true)
    })

    test('a busy receiver gets the bundle after its Retry-After, even after a restart', async () => {
      let answer: Answering = { status: 503, headers: { 'retry-after': '1' }, body: 'later' }
      await using receiver = await startHttpServer(() => answer)
      await using opened = new AsyncDisposableStack()
      const { location: store } = opened.use(await database.place(logsSchema))
      const environment = { SERVICE_BUNDLE_ENDPOINT: receiver.url }
      let queuedId = ''
      // A clock that is behind, so that the pause is over at the next attempt.
      const past = Date.now() - 3_600_000
      {
        await using service = await openService({ store, environment, now: () => past })
        const { id } = await withIncident(service)
        const queued = await service.incidents.sendBundle({ id })
        expect(queued).toMatchObject({ status: 'queued', attempts: 1, lastError: '503 later' })
        expect(queued.sentAt).toBeUndefined()
        queuedId = queued.id
        expect((await service.incidents.getIncident({ id })).timeline[0]).toMatchObject({ kind: 'queued' })
      }
      answer = { status: 200 }
      await using again = await openService({ store, environment })
      const statusNow = async () => (await again.incidents.listSentBundles({})).sentBundles[0]?.status
      await expect.poll(statusNow).toBe('sent')
      expect((await again.incidents.listSentBundles({})).sentBundles[0]).toMatchObject({ id: queuedId, attempts: 2 })
      expect(receiver.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([queuedId, queuedId])
    })

    test.each<[string, Answering, object]>([
      [
        'a web page in the place of a receiver',
        { status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Sign in</title>' },
        { status: 'queued', sentAt: undefined, lastError: '200 a web page, "Sign in"' },
      ],
      [
        'a page of an error',
        { status: 502, body: '<html><title>Bad Gateway</title>' },
        { status: 'queued', lastError: '502 a web page, "Bad Gateway"' },
      ],
      [
        'a redirect that would lose the bundle',
        { status: 302, headers: { location: '/login' }, body: '' },
        { status: 'failed', lastError: expect.stringMatching(/^302 a redirect to http:.*\/login$/) },
      ],
    ])('%s does not count as having received the bundle', async (_, refusal, row) => {
      await using receiver = await startHttpServer(({ method }) => (method === 'POST' ? refusal : { status: 200 }))
      await using service = await open({ SERVICE_BUNDLE_ENDPOINT: receiver.url })
      const { id } = await withIncident(service)
      await service.incidents.sendBundle({ id }).catch(() => undefined)
      expect((await service.incidents.listSentBundles({})).sentBundles).toMatchObject([row])
      expect(receiver.requests.map(({ method }) => method)).toEqual(['POST'])
    })

    test('a refusal by the receiver is 502 with its message, without the token, and is not retried', async () => {
      await using receiver = await startHttpServer(() => ({ status: 422, body: 'no such version, dear top-secret' }))
      await using service = await open({ SERVICE_BUNDLE_ENDPOINT: receiver.url, SERVICE_BUNDLE_TOKEN: 'top-secret' })
      const { id } = await withIncident(service)
      await expect(service.incidents.sendBundle({ id })).rejects.toMatchObject({
        kind: 'upstream_failed',
        message: expect.stringMatching(/422 no such version, dear \*\*\*/),
      })
      expect((await service.incidents.listSentBundles({})).sentBundles).toMatchObject([
        { status: 'failed', attempts: 1 },
      ])
    })
  })
})

describe('pauses between attempts', () => {
  test('grow, are randomized, and honour Retry-After in seconds and as a date', () => {
    const half = () => 0.5
    expect([1, 2, 3].map((attempts) => pauseAfter(attempts, undefined, half))).toEqual([3_750, 7_500, 15_000])
    expect(pauseAfter(40, undefined, () => 1)).toBe(3_600_000)
    expect(pauseAfter(1, 60, half)).toBe(60_000)
    expect(pauseAfter(1, 99_999_999, half)).toBe(86_400_000)
  })
})
