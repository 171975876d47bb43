import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Broadcast, serveBroadcast } from '../probe/broadcast.ts'
import { waitFor } from '../support/wait-for.ts'

/** A client that stores only the ids and names of events, so that its own memory does not distort the measurement. */
const follow = async (origin: string, headers: Record<string, string> = {}) => {
  const request = get(`${origin}/probe/api/count?behaviour=follow`, { agent: false, headers })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const ids: number[] = []
  const names = new Set<string>()
  let rest = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('id: ')) ids.push(Number(line.slice(4)))
      if (line.startsWith('event: ')) names.add(line.slice(7))
    }
  })
  response.on('error', () => undefined)
  return { ids: () => ids, names, response, leave: () => request.destroy() }
}

describe('event streams over HTTP', () => {
  let served: Broadcast
  beforeAll(async () => {
    served = await serveBroadcast({ retained: 5_000 })
  })
  afterAll(() => served.close())

  test('1,000 clients of one stream each get every event once and in order', async () => {
    const clients = await Promise.all(Array.from({ length: 1_000 }, () => follow(served.origin)))
    const sequences: number[] = []
    for (let number = 0; number < 100; number += 1) {
      sequences.push(await served.publish(number))
      if (number % 10 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    await waitFor(() => expect(clients.every((client) => client.ids().length >= 100)).toBe(true))
    for (const client of clients) expect(client.ids()).toEqual(sequences)
    for (const client of clients) client.leave()
    await waitFor(() => expect(served.open()).toBe(0))
  })

  test('a reconnecting client resumes without loss or repetition', async () => {
    const first = await follow(served.origin)
    const before = await served.publish(1)
    await waitFor(() => expect(first.ids()).toEqual([before]))
    first.leave()
    const missed = [await served.publish(2), await served.publish(3)]
    const second = await follow(served.origin, { 'last-event-id': String(before) })
    const next = await served.publish(4)
    await waitFor(() => expect(second.ids()).toEqual([...missed, next]))
    second.leave()
  })

  test('memory stays flat while a client does not read; it then gets a gap and the remaining events', async () => {
    const stuck = await follow(served.origin)
    const reader = await follow(served.origin)
    stuck.response.pause()
    const filler = 'x'.repeat(2_000)
    const memory: number[] = []
    let last = 0
    for (let round = 0; round < 12; round += 1) {
      for (let number = 0; number < 2_000; number += 1) {
        last = await served.publish(number, filler)
        if (number % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      memory.push(process.memoryUsage().rss)
    }
    // After the ring is full, 40 MB more are sent; none of it may be buffered for the client that does not read.
    expect(((memory.at(-1) ?? 0) - (memory[4] ?? 0)) / 1024 / 1024).toBeLessThan(40)
    await waitFor(() => expect(reader.ids().at(-1)).toBe(last))
    stuck.response.resume()
    await waitFor(() => expect(stuck.ids().at(-1)).toBe(last))
    expect(stuck.names).toContain('spelled-out')
    expect(stuck.ids().length).toBeLessThan(reader.ids().length)
    expect(stuck.ids()).toEqual(stuck.ids().toSorted((a, b) => a - b))
    for (const client of [stuck, reader]) client.leave()
  })
})
