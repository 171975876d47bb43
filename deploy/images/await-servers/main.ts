/**
 * Waits until the servers in NATS_URL and DATABASE_URL accept connections, then exits. Pods run it as an init container, so that
 * an installation starts without restarts of its containers.
 */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Server, serversOf } from './servers-of.ts'

const timeoutSeconds = 300
const pauseMilliseconds = 250

const acceptsConnections = ({ host, port }: Server): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 })
    const finish = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => finish(true))
    socket.once('error', () => finish(false))
    socket.once('timeout', () => finish(false))
  })

const awaitServer = async (name: string, servers: readonly Server[]): Promise<void> => {
  const until = Date.now() + timeoutSeconds * 1_000
  const shown = servers.map(({ host, port }) => `${host}:${port}`).join(', ')
  for (let reported = false; ; reported = true) {
    for (const server of servers) if (await acceptsConnections(server)) return
    if (Date.now() > until)
      throw new Error(
        `${name} at ${shown} accepted no connection for ${timeoutSeconds} s. Check that it runs and that its URL is right.`,
      )
    if (!reported) process.stdout.write(`Waiting for ${name} at ${shown}\n`)
    await sleep(pauseMilliseconds)
  }
}

process.on('SIGTERM', () => process.exit(143))
try {
  for (const [name, servers] of Object.entries(serversOf(process.env))) await awaitServer(name, servers)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
