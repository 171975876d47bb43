import { type Answering, type RecordedRequest, startHttpServer } from '@trellis/test/support/http-server'
import { describe, expect, test } from 'vitest'
import { openService } from '../incidents/service-for-tests.ts'
import { notionBlocks } from './notion.ts'

type Service = Awaited<ReturnType<typeof openService>>

const at = (second: number) => new Date(Date.UTC(2026, 2, 1, 9, 0, second)).toISOString()

const withIncident = async (service: Service, entries = 60) => {
  await service.push(
    'app',
    Array.from({ length: entries }, (_, number) => ({
      text: `failure ${number} of 192.0.2.7 ${number === 0 ? 'x'.repeat(5_000) : ''}`,
      timestamp_iso: at(number),
      severity: 'ERROR',
    })),
  )
  const { id } = await service.incidents.createIncident({
    label: 'Checkout\nis down',
    startedAt: at(0),
    endedAt: at(120),
    notes: 'since the update to 192.0.2.7',
    severity: 'ERROR',
  })
  return id
}

const set = (service: Service, values: Record<string, string>) =>
  service.settings.updateSettings({
    ...Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
        value,
      ]),
    ),
    updateMask: Object.keys(values),
  })

const cloud = (url: string) => ({
  jira_url: url,
  jira_email: 'ann@example.com',
  jira_token: 'tok-en',
  jira_project: 'OPS',
})
const onNotion = (url: string) => ({ notion_url: url, notion_token: 'ntn_secret', notion_database_id: 'db1' })
const fieldsOf = (request: RecordedRequest | undefined): unknown => request?.body.fields ?? {}
const created: Answering = { status: 201, body: { id: '10001', key: 'OPS-17', self: 'x' } }

describe('POST /api/incidents/{id}/export to Jira', () => {
  test('Cloud: version 3, Basic, the Atlassian Document Format; up to 50 entries, 2000 characters per block', async () => {
    await using server = await startHttpServer(() => created)
    await using service = await openService()
    await set(service, cloud(server.url))
    const id = await withIncident(service)
    const ticket = await service.incidents.exportTicket({ id, tracker: 'jira' })
    expect(ticket).toEqual({ tracker: 'jira', ticketId: 'OPS-17', url: `${server.url}/browse/OPS-17`, created: true })
    const [request] = server.requests
    expect(request).toMatchObject({
      method: 'POST',
      url: '/rest/api/3/issue',
      headers: { authorization: `Basic ${Buffer.from('ann@example.com:tok-en').toString('base64')}` },
      body: { fields: { project: { key: 'OPS' }, issuetype: { name: 'Bug' }, summary: 'Checkout is down' } },
    })
    const { description } = fieldsOf(request) as { description: { type: string; version: number; content: Block[] } }
    expect(description).toMatchObject({ type: 'doc', version: 1 })
    const blocks = description.content
      .filter(({ type }) => type === 'codeBlock')
      .map((block) => block.content[0]?.text ?? '')
    expect(blocks).toHaveLength(50)
    expect(blocks[0]).toHaveLength(2_000)
    expect(Math.max(...blocks.map((text) => text.length))).toBe(2_000)
    expect(JSON.stringify(description.content.at(-1))).toContain('10 more entries')
    expect((await service.incidents.getIncident({ id })).timeline[0]).toMatchObject({ kind: 'exported' })
  })
  type Block = { type: string; content: { text: string }[] }

  test('Server and Data Center: version 2, a personal access token as Bearer, plain text', async () => {
    await using server = await startHttpServer(() => created)
    await using service = await openService()
    await set(service, {
      jira_url: `${server.url}/jira`,
      jira_token: 'pat',
      jira_project: 'OPS',
      jira_issue_type: 'Incident',
    })
    const id = await withIncident(service, 3)
    const ticket = await service.incidents.exportTicket({ id, tracker: 'jira', label: 'Shop' })
    expect(ticket.url).toBe(`${server.url}/jira/browse/OPS-17`)
    expect(server.requests[0]).toMatchObject({
      url: '/jira/rest/api/2/issue',
      headers: { authorization: 'Bearer pat' },
      body: {
        fields: {
          summary: 'Shop',
          issuetype: { name: 'Incident' },
          description: expect.stringContaining('{noformat}\n'),
        },
      },
    })
  })

  test('a description never has more than 32767 characters, and states the number of omitted entries', async () => {
    await using server = await startHttpServer(() => created)
    await using service = await openService()
    await set(service, { jira_url: server.url, jira_token: 'pat', jira_project: 'OPS' })
    await service.push(
      'app',
      Array.from({ length: 50 }, (_, number) => ({
        text: 'y'.repeat(4_000),
        timestamp_iso: at(number),
        severity: 'ERROR',
        sequence: number,
      })),
    )
    const { id } = await service.incidents.createIncident({ label: 'x', startedAt: at(0), notes: 'n'.repeat(20_000) })
    await service.incidents.exportTicket({ id, tracker: 'jira' })
    const { description } = fieldsOf(server.requests[0]) as { description: string }
    expect(description.length).toBeLessThanOrEqual(32_767)
    expect(description).toMatch(/\d+ more entries belong to this incident\.$/)
  })

  test.each<[string, Answering, RegExp]>([
    [
      '400 with messages',
      { status: 400, body: { errorMessages: ['No.'], errors: { project: 'is required' } } },
      /Jira answered 400: No\. project: is required/,
    ],
    ['401 that repeats the token', { status: 401, body: { message: 'bad tok-en' } }, /Jira answered 401: bad \*\*\*$/],
    [
      '404 in HTML',
      { status: 404, body: '<html><title>Gone</title></html>' },
      /Jira answered 404: a web page, "Gone"$/,
    ],
    [
      'a redirect',
      { status: 302, headers: { location: '/login' }, body: '' },
      /Jira answered 302: a redirect to http:.*\/login$/,
    ],
    ['success that is not JSON', { status: 201, body: 'ok' }, /not a JSON object/],
    ['success without a key', { status: 201, body: {} }, /without returning its key/],
    ['a redirect to another host', { status: 302, headers: { location: 'http://192.0.2.1/' } }, /redirects to/],
    ['429 with a long Retry-After', { status: 429, headers: { 'retry-after': '3600' }, body: {} }, /Jira answered 429/],
  ])('answers 502 with its message, without secrets: %s', async (_, answer, message) => {
    await using server = await startHttpServer(() => answer)
    await using service = await openService()
    await set(service, cloud(server.url))
    const id = await withIncident(service, 1)
    const failed = service.incidents.exportTicket({ id, tracker: 'jira' })
    await expect(failed).rejects.toMatchObject({ kind: 'upstream_failed', message: expect.stringMatching(message) })
    expect(server.requests).toHaveLength(1)
    server.requests.length = 0
    await expect(service.incidents.exportTicket({ id, tracker: 'jira' })).rejects.toMatchObject({
      kind: 'upstream_failed',
    })
  })

  test('a tracker that cannot be reached is 502', async () => {
    await using service = await openService()
    await using server = await startHttpServer(() => created)
    const { url } = server
    await server[Symbol.asyncDispose]()
    await set(service, cloud(url))
    const id = await withIncident(service, 1)
    await expect(service.incidents.exportTicket({ id, tracker: 'jira' })).rejects.toMatchObject({
      kind: 'upstream_failed',
      message: expect.stringContaining('cannot be reached'),
    })
  })

  test('status 429 is retried after Retry-After', async () => {
    await using server = await startHttpServer((_, number) =>
      number === 1 ? { status: 429, headers: { 'retry-after': '0' } } : created,
    )
    await using service = await openService()
    await set(service, cloud(server.url))
    const id = await withIncident(service, 1)
    expect(await service.incidents.exportTicket({ id, tracker: 'jira' })).toMatchObject({ ticketId: 'OPS-17' })
    expect(server.requests).toHaveLength(2)
  })
})

/** Notion as of 2025-09-03, or with version 2022-06-28 only. */
const notionServer = (supported: 'data sources' | 'databases') =>
  startHttpServer(({ method, url, headers, body }: RecordedRequest): Answering => {
    const error = (status: number, code: string, message: string) => ({
      status,
      body: { object: 'error', status, code, message },
    })
    if (headers.authorization !== 'Bearer ntn_secret') return error(401, 'unauthorized', 'API token is invalid.')
    const isNew = headers['notion-version'] === '2025-09-03'
    if (supported === 'databases' && isNew)
      return error(400, 'validation_error', 'Notion-Version header 2025-09-03 is not supported.')
    const properties = { Stand: { type: 'status' }, Vorfall: { type: 'title', id: 'title' } }
    if (method === 'GET' && url === '/v1/databases/db1')
      return {
        status: 200,
        body:
          supported === 'databases'
            ? { object: 'database', properties }
            : { object: 'database', data_sources: [{ id: 'ds1', name: 'x' }] },
      }
    if (method === 'GET' && url === '/v1/data_sources/ds1' && isNew)
      return { status: 200, body: { object: 'data_source', properties } }
    if (method === 'POST' && url === '/v1/pages') {
      const children = body.children as { [kind: string]: { rich_text: { text: { content: string } }[] } }[]
      if (children.length > 100) return error(400, 'validation_error', 'body.children.length should be ≤ `100`')
      if (JSON.stringify(children).includes('x'.repeat(2_001)))
        return error(400, 'validation_error', 'content.length should be ≤ `2000`')
      return { status: 200, body: { object: 'page', id: 'page-1', url: 'https://www.notion.so/page-1' } }
    }
    return error(404, 'object_not_found', 'Could not find it. Make sure it is shared with your integration.')
  })

describe('POST /api/incidents/{id}/export to Notion', () => {
  test.each([
    ['data sources', { type: 'data_source_id', data_source_id: 'ds1' }, '2025-09-03'],
    ['databases', { database_id: 'db1' }, '2022-06-28'],
  ] as const)(
    'creates a page in %s, with the title under the name of the title property',
    async (supported, parent, version) => {
      await using server = await notionServer(supported)
      await using service = await openService()
      await set(service, onNotion(server.url))
      const id = await withIncident(service)
      expect(await service.incidents.exportTicket({ id, tracker: 'notion' })).toEqual({
        tracker: 'notion',
        ticketId: 'page-1',
        url: 'https://www.notion.so/page-1',
        created: true,
      })
      expect(server.requests.at(-1)).toMatchObject({
        headers: { 'notion-version': version },
        body: { parent, properties: { Vorfall: { title: [{ text: { content: 'Checkout\nis down' } }] } } },
      })
    },
  )

  test('uses the id of the title property where the description of a database shows no properties', async () => {
    await using server = await startHttpServer(({ method }) => ({
      status: 200,
      body:
        method === 'GET'
          ? { object: 'database' }
          : { object: 'page', id: 'page-1', url: 'https://www.notion.so/page-1' },
    }))
    await using service = await openService()
    await set(service, onNotion(server.url))
    const id = await withIncident(service, 1)
    expect(await service.incidents.exportTicket({ id, tracker: 'notion' })).toMatchObject({ ticketId: 'page-1' })
    expect(server.requests.at(-1)?.body).toMatchObject({
      parent: { database_id: 'db1' },
      properties: { title: { title: [{ text: { content: 'Checkout\nis down' } }] } },
    })
  })

  test('the fullest incident fits the limits of one request: 100 blocks of 2000 characters, 500 KB', () => {
    const blocks = notionBlocks({
      title: 'x',
      facts: Array(9).fill('Fact: x'),
      notes: 'é'.repeat(20_000),
      entries: Array(50).fill('漢'.repeat(2_000)),
      omitted: 7,
    })
    expect(blocks.length).toBeLessThanOrEqual(100)
    expect(JSON.stringify(blocks)).toContain('7 more entries')
    expect(Buffer.byteLength(JSON.stringify(blocks))).toBeLessThan(500_000)
  })

  test('a refusal is 502 with its message', async () => {
    await using server = await notionServer('data sources')
    await using service = await openService()
    await set(service, { ...onNotion(server.url), notion_database_id: 'other' })
    const id = await withIncident(service, 1)
    await expect(service.incidents.exportTicket({ id, tracker: 'notion' })).rejects.toMatchObject({
      kind: 'upstream_failed',
      message: expect.stringMatching(/Notion answered 404: Could not find it/),
    })
  })
})

describe('exporting a ticket', () => {
  test('is 503 with the missing settings if a tracker is not configured, and 422 for an unknown tracker', async () => {
    await using service = await openService()
    const id = await withIncident(service, 1)
    const kindOf = (tracker: string) => service.incidents.exportTicket({ id, tracker })
    await expect(kindOf('notion')).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/notion_token, notion_database_id/),
    })
    await expect(kindOf('jira')).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/jira_url, jira_token, jira_project/),
    })
    await expect(kindOf('trac')).rejects.toMatchObject({ kind: 'invalid' })
    await expect(service.incidents.exportTicket({ id: 'none', tracker: 'jira' })).rejects.toMatchObject({
      kind: 'not_found',
    })
  })

  test('twice returns the first ticket, unless another one is requested', async () => {
    await using server = await startHttpServer((_, number) => ({ status: 201, body: { key: `OPS-${number}` } }))
    await using service = await openService()
    await set(service, cloud(server.url))
    const id = await withIncident(service, 1)
    const both = await Promise.allSettled([1, 2].map(() => service.incidents.exportTicket({ id, tracker: 'jira' })))
    expect(both.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
    expect(server.requests).toHaveLength(1)
    expect(await service.incidents.exportTicket({ id, tracker: 'jira' })).toMatchObject({
      ticketId: 'OPS-1',
      created: false,
    })
    expect(await service.incidents.exportTicket({ id, tracker: 'jira', again: true })).toMatchObject({
      ticketId: 'OPS-2',
      created: true,
    })
  })

  test('with the sanitize option discloses no address', async () => {
    await using server = await startHttpServer(() => created)
    await using service = await openService()
    await set(service, cloud(server.url))
    const id = await withIncident(service, 3)
    await service.incidents.exportTicket({ id, tracker: 'jira', sanitize: true })
    expect(server.requests[0]?.text).not.toContain('192.0.2.7')
    expect(server.requests[0]?.text).toContain('failure 2 of [ip4-1]')
  })
})
