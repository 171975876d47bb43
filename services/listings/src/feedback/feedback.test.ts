import { readConfig } from '@trellis/kit/config'
import { createEgress } from '@trellis/kit/egress'
import { connectInProcess, type Handlers } from '@trellis/kit/rpc'
import { openStore } from '@trellis/kit/store'
import {
  FeedbackServiceDefinition,
  FeedbackType,
  type SendFeedbackRequest,
} from '@trellis/protos/ts/trellis/listings/v1/feedback.ts'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { drawnBackend } from '@trellis/test/support/exploration'
import { type Answering, type RecordedRequest, startHttpServer } from '@trellis/test/support/http-server'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { anonymous, guest, local } from '../../test/callers.ts'
import { listingsConfig } from '../config.ts'
import { type ListingsTables, listingsSchema } from '../schemas.ts'
import { createTrackerCall } from './call-tracker.ts'
import { openFeedback } from './open-feedback.ts'

const token = 'tracker-token'
const request: Partial<SendFeedbackRequest> = {
  title: 'The score is missing',
  description: 'The first listing has no score.',
  type: FeedbackType.BUG,
  repro: 'Search',
  view: 'search',
}

test('a tracker that does not answer before the whole time is over is 504', async () => {
  await using tracker = await startHttpServer(() => new Promise<never>(() => {}))
  await using egress = createEgress({ blockPrivate: false })
  const call = createTrackerCall({ egress, url: tracker.url, headers: {}, token })
  await expect(call({ method: 'GET', path: '/labels' }, AbortSignal.timeout(50))).rejects.toMatchObject({ status: 504 })
})

const fullPage = Array.from({ length: 50 }, (_, index) => ({ id: index + 1, name: `label ${index}` }))

/** A tracker in memory, whose API has both shapes: it records its requests. `override` answers in place of it. */
const openTracker = async (
  override: (request: RecordedRequest) => Answering | undefined | Promise<Answering | undefined>,
) => {
  const labels = [...fullPage, { id: 51, name: 'Bug' }]
  let issues = 0
  return startHttpServer(async (sent) => {
    const overridden = await override(sent)
    if (overridden !== undefined) return overridden
    const { method, url } = sent
    const at = new URL(url, 'http://tracker.test')
    if (method === 'GET' && at.pathname === '/api/repos/team/app/labels') {
      const page = Number(at.searchParams.get('page')) - 1
      return { status: 200, body: labels.slice(page * 50, (page + 1) * 50) }
    }
    if (method === 'POST' && at.pathname === '/api/repos/team/app/labels') {
      const label = { id: labels.length + 1, name: String(sent.body.name) }
      labels.push(label)
      return { status: 201, body: label }
    }
    issues += 1
    return { status: 201, body: { number: issues, html_url: `https://tracker.test/issues/${issues}` } }
  })
}

describe.each(drawnBackend(databases, 'feedback'))('feedback on $name', ({ start, isMissing }) => {
  let database: RunningDatabase
  let own = new AsyncDisposableStack()
  beforeAll(async () => {
    if (!isMissing) database = await start()
  })
  afterAll(() => database?.[Symbol.asyncDispose]())
  afterEach(async () => {
    const before = own
    own = new AsyncDisposableStack()
    await before.disposeAsync()
  })

  const open = async ({
    environment = {},
    override = () => undefined,
  }: {
    environment?: Record<string, string>
    override?: Parameters<typeof openTracker>[0]
  } = {}) => {
    const tracker = own.use(await openTracker(override))
    const { location } = own.use(await database.place(listingsSchema))
    const time = { now: new Date('2026-03-01T09:15:02.000Z') }
    const config = readConfig(listingsConfig, {
      ISSUE_TRACKER_API_TOKEN: token,
      ISSUE_TRACKER_URL: `${tracker.url}/api`,
      ISSUE_TRACKER_REPO: 'team/app',
      ...environment,
    })
    const replica = async () => {
      const { db } = own.use(await openStore<ListingsTables>({ ...location, ...listingsSchema }))
      const { handlers } = openFeedback({ config, db, now: () => time.now }, own)
      return connectInProcess(FeedbackServiceDefinition, handlers as Handlers<typeof FeedbackServiceDefinition>)
    }
    const issues = () => tracker.requests.filter(({ method, url }) => method === 'POST' && url.endsWith('/issues'))
    return { client: await replica(), replica, tracker, issues, time }
  }

  test.skipIf(isMissing)('an issue with labels and context is created on Forgejo, by ids of labels', async () => {
    const { client, tracker, issues } = await open()
    const sent = await client.sendFeedback({ ...request, submitter: 'Kim' }, { caller: local })
    expect(sent).toEqual({ issueNumber: 1, issueUrl: 'https://tracker.test/issues/1' })
    const created = tracker.requests.filter(({ method, url }) => method === 'POST' && url.endsWith('/labels'))
    expect(created.map(({ body }) => body.name)).toEqual(['beta-feedback', 'needs-triage'])
    expect(created[0]?.body.color).toMatch(/^#[0-9a-f]{6}$/)
    const [issue] = issues()
    expect(issue?.headers.authorization).toBe(`token ${token}`)
    expect(issue?.body.title).toBe('The score is missing')
    expect(issue?.body.labels).toEqual([52, 53, 51])
    expect(issue?.body.body).toContain('### Reproduction Steps')
    for (const line of [
      'Product: listings',
      'View: ` search `',
      'Version: 0.1.0',
      'Platform: ',
      'Submitted by: ` Kim `',
    ])
      expect(issue?.body.body).toContain(`- ${line}`)
    expect(issue?.body.body).toContain('- Time: 2026-03-01T09:15:02.000Z (UTC)')
  })

  test.skipIf(isMissing).each([
    [FeedbackType.BUG, 'Bug'],
    [FeedbackType.FEATURE, 'feature-request'],
    [FeedbackType.OTHER, 'question'],
  ])('on GitHub the labels of type %s are names, ending with %s', async (type, label) => {
    const { client, issues } = await open({ environment: { ISSUE_TRACKER_KIND: 'github' } })
    await client.sendFeedback({ ...request, type }, { caller: local })
    const [issue] = issues()
    expect(issue?.headers).toMatchObject({
      authorization: `Bearer ${token}`,
      accept: 'application/vnd.github+json',
    })
    expect(issue?.body.labels).toEqual(['beta-feedback', 'needs-triage', label])
  })

  test.skipIf(isMissing)('tab is another name of view', async () => {
    const { client, issues } = await open()
    await client.sendFeedback({ ...request, view: '', tab: 'alerts' }, { caller: local })
    expect(issues()[0]?.body.body).toContain('- View: ` alerts `')
  })

  test.skipIf(isMissing)('without a token feedback is disabled: 503, before all other checks', async () => {
    const { client, tracker } = await open({ environment: { ISSUE_TRACKER_API_TOKEN: '', DEMO_MODE: '1' } })
    expect(await client.getFeedbackStatus({})).toEqual({ enabled: false })
    await expect(client.sendFeedback(request, { caller: local })).rejects.toMatchObject({
      status: 503,
      detail: expect.stringContaining('ISSUE_TRACKER_API_TOKEN'),
    })
    expect(tracker.requests).toEqual([])
  })

  test.skipIf(isMissing)('in demo mode feedback is refused: 403', async () => {
    const { client } = await open({ environment: { DEMO_MODE: '1' } })
    expect(await client.getFeedbackStatus({})).toEqual({ enabled: false })
    await expect(client.sendFeedback(request, { caller: local })).rejects.toMatchObject({ status: 403 })
  })

  test.skipIf(isMissing)('guests may send feedback, visitors without a session may not', async () => {
    const { client } = await open()
    expect(await client.getFeedbackStatus({}, { caller: anonymous })).toEqual({ enabled: true })
    await expect(client.sendFeedback(request, { caller: anonymous })).rejects.toMatchObject({ status: 403 })
    await client.sendFeedback(request, { caller: guest('1') })
  })

  test.skipIf(isMissing).each(['labels', 'issues'])(
    'a refusal of %s is 502 with 200 characters, without the token',
    async (what) => {
      const words = `Bad token ${token}, ${'x'.repeat(300)}`
      const { client } = await open({
        override: ({ url }) => (url.includes(what) ? { status: 401, body: words } : undefined),
      })
      const quoted = words.replace(token, '***').slice(0, 200)
      await expect(client.sendFeedback(request, { caller: local })).rejects.toMatchObject({
        status: 502,
        detail: `The issue tracker refused with status 401: ${quoted}`,
      })
    },
  )

  test.skipIf(isMissing)('a tracker that answers something else, or not at all, is 502', async () => {
    const { client } = await open({
      override: ({ url }) => (url.endsWith('/issues') ? { status: 201, body: '<html>' } : undefined),
    })
    await expect(client.sendFeedback(request, { caller: local })).rejects.toMatchObject({ status: 502 })
    const away = await open({ environment: { ISSUE_TRACKER_URL: 'http://127.0.0.1:9' } })
    await expect(away.client.sendFeedback(request, { caller: local })).rejects.toMatchObject({
      status: 502,
      detail: expect.stringContaining('127.0.0.1:9'),
    })
  })

  test.skipIf(isMissing)('a tracker that has moved is 502, and the list at its new address is no issue', async () => {
    const { client } = await open({
      override: ({ method, url }) =>
        url.endsWith('/issues') && method === 'POST' ? { status: 301, headers: { location: '/moved' } } : undefined,
    })
    await expect(client.sendFeedback(request, { caller: local })).rejects.toMatchObject({
      status: 502,
      detail: expect.stringContaining('status 301'),
    })
  })

  test.skipIf(isMissing)('a label that another request has just created is used', async () => {
    let refused = false
    const { client, issues } = await open({
      override: async (sent) => {
        if (sent.method !== 'POST' || sent.body.name !== 'needs-triage' || refused) return undefined
        refused = true
        // The other request creates it first.
        await fetch(`http://${sent.headers.host}${sent.url}`, { method: 'POST', body: sent.text })
        return { status: 422, body: { message: 'already_exists' } }
      },
    })
    await client.sendFeedback(request, { caller: local })
    expect(issues()[0]?.body.labels).toEqual([52, 53, 51])
  })

  test.skipIf(isMissing)(
    'the same text within a minute is one issue; later, or from another user, it is another',
    async () => {
      const { client, issues, time } = await open()
      const first = await client.sendFeedback(request, { caller: local })
      expect(await client.sendFeedback(request, { caller: local })).toEqual(first)
      await client.sendFeedback({ ...request, description: 'Another.' }, { caller: local })
      await client.sendFeedback(request, { caller: guest('1') })
      expect(issues()).toHaveLength(3)
      time.now = new Date(time.now.getTime() + 61_000)
      expect((await client.sendFeedback(request, { caller: local })).issueNumber).toBe(4)
    },
  )

  test.skipIf(isMissing)('the same text sent to two replicas at the same time is one issue', async () => {
    const { client, replica, issues } = await open()
    const other = await replica()
    const sent = await Promise.all([
      client.sendFeedback(request, { caller: local }),
      other.sendFeedback(request, { caller: local }),
    ])
    expect(sent[0]).toEqual(sent[1])
    expect(issues()).toHaveLength(1)
  })

  test.skipIf(isMissing)('after a failure the same text may be sent again at once', async () => {
    let failures = 1
    const { client, issues } = await open({
      override: ({ url }) => (url.endsWith('/issues') && failures-- > 0 ? { status: 500, body: 'broken' } : undefined),
    })
    await expect(client.sendFeedback(request, { caller: local })).rejects.toMatchObject({ status: 502 })
    expect((await client.sendFeedback(request, { caller: local })).issueNumber).toBe(1)
    expect(issues()).toHaveLength(2)
  })

  test.skipIf(isMissing)('beyond ten issues in an hour a user gets 429 with Retry-After, others do not', async () => {
    const { client, time } = await open()
    const send = (index: number, caller = local) =>
      client.sendFeedback({ ...request, description: `Number ${index}` }, { caller })
    for (let index = 0; index < 10; index += 1) await send(index)
    time.now = new Date(time.now.getTime() + 600_000)
    await expect(send(10)).rejects.toMatchObject({ status: 429, retryAfterSeconds: 3_000 })
    await send(10, guest('1'))
    time.now = new Date(time.now.getTime() + 3_000_000)
    await send(10)
  })

  test.skipIf(isMissing)('a title without visible characters is 422', async () => {
    const { client } = await open()
    await expect(client.sendFeedback({ ...request, title: '\u200B ' }, { caller: local })).rejects.toMatchObject({
      status: 422,
    })
  })
})
