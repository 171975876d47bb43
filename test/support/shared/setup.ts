import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { freePort, startPostgres } from '@trellis/distributed/servers'
import { temporaryDirectory } from '../temporary-directory.ts'
import { bundleForTests } from './bundle.ts'
import { brokerVariable, type Shared } from './fetch-shared.ts'

type Starters = { [Name in keyof Shared]: (owned: AsyncDisposableStack) => Promise<Shared[Name]> }

/** Postgres settings without durability, because nothing outlives the run. */
const volatile = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '400' }

const starters: Starters = {
  postgres: async (owned) => {
    const directory = owned.use(await temporaryDirectory())
    const server = owned.use(
      await startPostgres({ directory: join(directory.path, 'postgres'), port: await freePort(), settings: volatile }),
    )
    return { url: server.url() }
  },
  bundle: async (owned) => {
    const directory = owned.use(await temporaryDirectory())
    return { folder: await bundleForTests(join(directory.path, 'bundle')) }
  },
}

const isShared = (name: string): name is keyof Shared => Object.hasOwn(starters, name)

/**
 * Runs once around all tests (globalSetup): serves shared resources to test processes, and starts each on its first request, so that
 * a run of one file starts only what that file needs.
 */
export default async (): Promise<(() => Promise<void>) | undefined> => {
  // Each project of the run calls this; the broker of the first one serves all.
  if (process.env[brokerVariable] !== undefined) return undefined
  const owned = new AsyncDisposableStack()
  const started = new Map<keyof Shared, Promise<unknown>>()
  const start = (name: keyof Shared) => {
    const running = started.get(name) ?? starters[name](owned)
    started.set(name, running)
    return running
  }
  const answer = async ({ url = '' }: IncomingMessage, response: ServerResponse) => {
    const name = url.slice(1)
    if (!isShared(name)) return void response.writeHead(404).end(`There is no shared ${name}.`)
    try {
      const shared = JSON.stringify(await start(name))
      response.writeHead(200, { 'content-type': 'application/json' }).end(shared)
    } catch (error) {
      response.writeHead(500).end(error instanceof Error ? (error.stack ?? error.message) : String(error))
    }
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.env[brokerVariable] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return async () => {
    delete process.env[brokerVariable]
    server.closeAllConnections()
    server.close()
    await Promise.allSettled(started.values())
    await owned.disposeAsync()
  }
}
