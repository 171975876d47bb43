import { type Answering, type RecordedRequest, startHttpServer } from '@trellis/test/support/http-server'
import { expect, test } from 'vitest'
import { openService } from '../incidents/service-for-tests.ts'

type Service = Awaited<ReturnType<typeof openService>>

const gone: Answering = { status: 504, body: 'gateway time-out' }

/** A Jira that stores issues and finds them by their text. The first `lost` responses are lost. */
const jiraServer = async (lost: number, search: 'allowed' | 'forbidden' = 'allowed') => {
  const issues: { key: string; text: string }[] = []
  let remaining = lost
  const server = await startHttpServer(({ method, url, body }: RecordedRequest): Answering => {
    const { pathname, searchParams } = new URL(url, 'http://jira')
    if (method === 'POST' && /^\/rest\/api\/[23]\/issue$/.test(pathname)) {
      const key = `OPS-${issues.length + 1}`
      issues.push({ key, text: JSON.stringify(body) })
      return remaining-- > 0 ? gone : { status: 201, body: { key } }
    }
    if (method !== 'GET' || !['/rest/api/3/search/jql', '/rest/api/2/search'].includes(pathname)) return { status: 404 }
    if (search === 'forbidden') return { status: 403, body: { errorMessages: ['No.'] } }
    const [, phrase = 'none'] = /description ~ "\\"(.+?)\\""/.exec(searchParams.get('jql') ?? '') ?? []
    return { status: 200, body: { issues: issues.filter(({ text }) => text.includes(phrase)) } }
  })
  return { issues, url: server.url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

type Page = { id: string; url: string; created: number; lines: string[] }
type Block = { paragraph?: { rich_text: { text: { content: string } }[] } }

const notionServer = async (lost: number) => {
  const pages: Page[] = []
  let remaining = lost
  const server = await startHttpServer(({ method, url, body }: RecordedRequest): Answering => {
    const { pathname } = new URL(url, 'http://notion')
    if (pathname === '/v1/databases/db1') return { status: 200, body: { data_sources: [{ id: 'ds1' }] } }
    if (pathname === '/v1/data_sources/ds1') return { status: 200, body: { properties: { Name: { type: 'title' } } } }
    if (pathname === '/v1/pages') {
      const id = `page-${pages.length + 1}`
      const lines = (body.children as Block[]).flatMap(({ paragraph }) => paragraph?.rich_text[0]?.text.content ?? [])
      pages.push({ id, url: `https://notion.example.com/${id}`, created: Date.now(), lines })
      return remaining-- > 0 ? gone : { status: 200, body: { ...pages.at(-1) } }
    }
    if (method === 'POST' && pathname === '/v1/data_sources/ds1/query') {
      const { filter } = body as { filter: { created_time: { on_or_after: string } } }
      const results = pages.filter(({ created }) => created >= Date.parse(filter.created_time.on_or_after)).toReversed()
      return { status: 200, body: { results } }
    }
    const page = pages.find(({ id }) => pathname === `/v1/blocks/${id}/children`)
    const results = page?.lines.map((line) => ({ type: 'paragraph', paragraph: { rich_text: [{ plain_text: line }] } }))
    return results ? { status: 200, body: { results } } : { status: 404 }
  })
  return { pages, url: server.url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

const cloud = (url: string) => ({
  jiraUrl: url,
  jiraEmail: 'ann@example.com',
  jiraToken: 'tok-en',
  jiraProject: 'OPS',
  updateMask: ['jira_url', 'jira_email', 'jira_token', 'jira_project'],
})
const onPremises = (url: string) => ({
  jiraUrl: url,
  jiraToken: 'pat',
  jiraProject: 'OPS',
  updateMask: ['jira_url', 'jira_token', 'jira_project'],
})
const onNotion = (url: string) => ({
  notionUrl: url,
  notionToken: 'ntn_secret',
  notionDatabaseId: 'db1',
  updateMask: ['notion_url', 'notion_token', 'notion_database_id'],
})

const incidentIn = async (service: Service, label: string) =>
  (await service.incidents.createIncident({ label, startedAt: '2026-03-01T09:00:00Z' })).id

test.each([
  ['Cloud', cloud],
  ['Server', onPremises],
] as const)('an export whose response was lost creates no second issue in Jira %s', async (_, settings) => {
  await using server = await jiraServer(1)
  await using service = await openService()
  await service.settings.updateSettings(settings(server.url))
  const [id, other] = [await incidentIn(service, 'lost'), await incidentIn(service, 'other')]
  await expect(service.incidents.exportTicket({ id, tracker: 'jira' })).rejects.toMatchObject({
    kind: 'upstream_failed',
  })
  expect(await service.incidents.exportTicket({ id: other, tracker: 'jira' })).toMatchObject({ ticketId: 'OPS-2' })
  const found = await service.incidents.exportTicket({ id, tracker: 'jira', sanitize: true })
  expect(found).toMatchObject({ ticketId: 'OPS-1', created: true })
  expect(await service.incidents.exportTicket({ id, tracker: 'jira' })).toMatchObject({
    ticketId: 'OPS-1',
    created: false,
  })
  expect(server.issues).toHaveLength(2)
  // A second ticket is created on request.
  expect(await service.incidents.exportTicket({ id, tracker: 'jira', again: true })).toMatchObject({
    ticketId: 'OPS-3',
  })
})

test('a repeated export whose response was lost is not mistaken for the first', async () => {
  await using server = await jiraServer(0)
  await using service = await openService()
  await service.settings.updateSettings(cloud(server.url))
  const id = await incidentIn(service, 'twice')
  await service.incidents.exportTicket({ id, tracker: 'jira' })
  await using losing = await jiraServer(1)
  losing.issues.push(...server.issues)
  await service.settings.updateSettings(cloud(losing.url))
  const again = () => service.incidents.exportTicket({ id, tracker: 'jira', again: true })
  await expect(again()).rejects.toMatchObject({ kind: 'upstream_failed' })
  expect(await again()).toMatchObject({ ticketId: 'OPS-2' })
  expect(losing.issues).toHaveLength(2)
})

test('if the tracker does not permit searches, an export can be repeated', async () => {
  await using server = await jiraServer(1, 'forbidden')
  await using service = await openService()
  await service.settings.updateSettings(cloud(server.url))
  const id = await incidentIn(service, 'lost')
  await expect(service.incidents.exportTicket({ id, tracker: 'jira' })).rejects.toMatchObject({
    kind: 'upstream_failed',
  })
  expect(await service.incidents.exportTicket({ id, tracker: 'jira' })).toMatchObject({ ticketId: 'OPS-2' })
})

test('an export whose response was lost creates no second page in Notion', async () => {
  await using server = await notionServer(1)
  await using service = await openService()
  await service.settings.updateSettings(onNotion(server.url))
  const [id, other] = [await incidentIn(service, 'lost'), await incidentIn(service, 'other')]
  await expect(service.incidents.exportTicket({ id, tracker: 'notion' })).rejects.toMatchObject({
    kind: 'upstream_failed',
  })
  await service.incidents.exportTicket({ id: other, tracker: 'notion' })
  expect(await service.incidents.exportTicket({ id, tracker: 'notion' })).toMatchObject({ ticketId: 'page-1' })
  expect(server.pages).toHaveLength(2)
})
