/**
 * Waits until the servers that NATS_URL and DATABASE_URL name take connections, and ends: what a pod does first, so that an
 * installation comes up in one go instead of by restarts.
 */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Server, serversOf } from './servers-of.ts'

const giveUpSeconds = 300
const pauseMilliseconds = 250

const takesConnections = ({ host, port }: Server): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 })
    const answer = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', () => answer(false))
    socket.once('timeout', () => answer(false))
  })

const awaitServer = async (name: string, servers: readonly Server[]): Promise<void> => {
  const until = Date.now() + giveUpSeconds * 1_000
  const shown = servers.map(({ host, port }) => `${host}:${port}`).join(', ')
  for (let reported = false; ; reported = true) {
    for (const server of servers) if (await takesConnections(server)) return
    if (Date.now() > until) throw new Error(`${name} at ${shown} took no connection for ${giveUpSeconds} s.`)
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
