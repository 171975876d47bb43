import { startPihole6 } from '../../services/logs/src/blocklist/filters/servers-for-tests.ts'
import { startHttpServer } from '../support/http-server.ts'

const password = 'hunter2'
const ticket = { id: '10001', key: 'OPS-17', self: 'x' }

/** Starts the external servers of an installation: a DNS filter, and a server that plays an issue tracker and a bundle receiver. */
export const startOutside = async () => {
  await using stack = new AsyncDisposableStack()
  const filter = stack.use(await startPihole6(password, { seats: 1_000 }))
  const server = stack.use(await startHttpServer(() => ({ status: 201, body: ticket })))
  const started = stack.move()
  return {
    /** Environment variables of the process. */
    environment: { SERVICE_BUNDLE_ENDPOINT: server.url },
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
