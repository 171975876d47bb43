import { startPihole6 } from '../../services/logs/src/blocklist/filters/servers-for-tests.ts'
import { webhookEnvironment } from '../conformance/send.ts'
import { type Answering, type RecordedRequest, startHttpServer } from '../support/http-server.ts'

const password = 'hunter2'
const ticket = { id: '10001', key: 'OPS-17', self: 'x' }
/** The answer of a language model, which builds a search. */
const completion = { choices: [{ message: { content: JSON.stringify({ base_query: 'camera' }) } }] }

/** The tracker of feedback, on the same server: it has no labels, and creates every one and every issue. */
const feedbackTracker = ({ method, url, body }: RecordedRequest): Answering => {
  if (method === 'GET') return { status: 200, body: [] }
  if (url.endsWith('/labels')) return { status: 201, body: { id: 1, name: body.name } }
  return { status: 201, body: { number: 17, html_url: 'https://tracker.example/issues/17' } }
}

/** Starts the external servers of an installation: a DNS filter, and a server that plays issue trackers, a bundle receiver and a language model. */
export const startOutside = async () => {
  await using stack = new AsyncDisposableStack()
  const filter = stack.use(await startPihole6(password, { seats: 1_000 }))
  const server = stack.use(
    await startHttpServer((request) =>
      request.url.startsWith('/feedback/')
        ? feedbackTracker(request)
        : request.url.endsWith('/chat/completions')
          ? { status: 200, body: completion }
          : { status: 201, body: ticket },
    ),
  )
  const started = stack.move()
  return {
    /** Environment variables of the process. */
    environment: {
      SERVICE_BUNDLE_ENDPOINT: server.url,
      LLM_BASE_URL: `${server.url}/v1`,
      LLM_MODEL: 'small',
      ISSUE_TRACKER_API_TOKEN: 'token',
      ISSUE_TRACKER_URL: `${server.url}/feedback`,
      ISSUE_TRACKER_REPO: 'team/app',
      ...webhookEnvironment,
      // The requests of the matrix are not signed.
      MARKETPLACE_WEBHOOK_VERIFY_SIGNATURES: '0',
    },
    /** Settings set through the API. */
    settings: {
      dns_filter_url: filter.url,
      dns_filter_api_key: password,
      jira_url: server.url,
      jira_email: 'ann@example.com',
      jira_token: 'token',
      jira_project: 'OPS',
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

export type Outside = Awaited<ReturnType<typeof startOutside>>
