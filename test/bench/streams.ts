import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type BroadcastBus, serveBroadcast } from '../probe/broadcast.ts'
import { round } from './machine.ts'

const events = 200

/** Follows a stream from a process of its own until it has seen so many events on each of its connections. */
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

const measure = async (clients: number, over: BroadcastBus): Promise<string> => {
  const served = await serveBroadcast({ kept: events * 2, over })
  const idle = process.memoryUsage().rss
  const { connected, done } = followers(`${served.origin}/probe/api/count?behaviour=follow`, clients)
  await connected
  const perClient = (process.memoryUsage().rss - idle) / clients / 1024
  const began = performance.now()
  for (let number = 0; number < events; number += 1) {
    await served.publish(number)
    if (number % 4 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await done
  const seconds = (performance.now() - began) / 1_000
  await served.close()
  return `  ${String(clients).padStart(5)} clients  ${round((clients * events) / seconds).padStart(9)} events/s  ${round(perClient, 1)} KB resident a client`
}

/** A row for 1, 100 and 1,000 clients. */
export const measureStreams = async (over: BroadcastBus): Promise<string[]> => {
  const lines: string[] = []
  for (const clients of [1, 100, 1_000]) lines.push(await measure(clients, over))
  return lines
}

export const benchStreams = async (): Promise<string[]> => {
  return [
    `${events} events published to followers of one stream, counted when the last client has the last one:`,
    ...(await measureStreams('memory')),
  ]
}
