import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { findNatsServer, startNatsServer } from '@trellis/distributed/servers'
import { type Broadcast, serveBroadcast } from '../probe/broadcast.ts'
import { round } from './machine.ts'

const events = 200

/** Follows a stream from a separate process until each of its connections has received all events. */
const followers = (url: string, clients: number) => {
  const script = fileURLToPath(new URL('./follow.ts', import.meta.url))
  const child = spawn(process.execPath, [script, url, String(clients), String(events)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const connected = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (text.includes('connected')) connected.resolve()
    if (text.includes('done')) done.resolve()
  })
  child.on('exit', (code) => code !== 0 && done.reject(new Error('The followers failed.')))
  return { connected: connected.promise, done: done.promise }
}

/** Publishes and waits until all followers of all origins have all events. The memory is that of this process per client before the first event. */
const measure = async (clients: number, served: Broadcast, origins: readonly string[]) => {
  const idle = process.memoryUsage().rss
  const following = origins.map((origin) =>
    followers(`${origin}/probe/api/count?behaviour=follow`, clients / origins.length),
  )
  await Promise.all(following.map(({ connected }) => connected))
  const kilobytesPerClient = (process.memoryUsage().rss - idle) / clients / 1024
  const began = performance.now()
  for (let number = 0; number < events; number += 1) {
    await served.publish(number)
    if (number % 4 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all(following.map(({ done }) => done))
  return { perSecond: (clients * events) / ((performance.now() - began) / 1_000), kilobytesPerClient }
}

const row = (clients: number, perSecond: number, more = '') =>
  `  ${String(clients).padStart(5)} clients  ${round(perSecond).padStart(9)} events/s${more}`

export const benchStreams = async (): Promise<string[]> => {
  const lines = [
    `${events} events published to followers of one stream, counted when the last client has the last one:`,
  ]
  for (const clients of [1, 100, 1_000]) {
    const served = await serveBroadcast({ retained: events * 2 })
    const { perSecond, kilobytesPerClient } = await measure(clients, served, [served.origin])
    lines.push(row(clients, perSecond, `  ${round(kilobytesPerClient, 1)} KB resident a client`))
    await served.close()
  }
  return lines
}

/** Starts an edge in a separate process and returns its origin. */
const startReplica = async (nats: string, opened: AsyncDisposableStack): Promise<string> => {
  const script = fileURLToPath(new URL('../probe/broadcast-replica.ts', import.meta.url))
  const child = spawn(process.execPath, [script, nats, String(events * 2)], { stdio: ['ignore', 'pipe', 'inherit'] })
  opened.defer(async () => {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return line.toString().trim()
}

/** Measures the same through JetStream, with each edge in a separate process. */
export const measureReplicas = async (replicas: number): Promise<string[]> => {
  await using opened = new AsyncDisposableStack()
  const nats = opened.use(await startNatsServer({ command: findNatsServer(process.env) }))
  const served = await serveBroadcast({ retained: events * 2, over: { nats: nats.address } })
  opened.defer(served.close)
  const origins: string[] = []
  for (let replica = 0; replica < replicas; replica += 1) origins.push(await startReplica(nats.address, opened))
  const lines: string[] = []
  const edges = replicas === 1 ? '1 edge' : `${replicas} edges`
  for (const clients of [100, 1_000]) {
    const { perSecond } = await measure(clients, served, origins)
    lines.push(row(clients, perSecond, `  ${edges}`))
  }
  return lines
}
