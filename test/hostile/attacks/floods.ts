import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, between, flooder, pick, type Target } from '../attack.ts'
import { connect } from '../wire.ts'

type Sent = { kind: string; method?: string; path: string; headers?: Record<string, string>; body?: string }

/** Sends a request and reads its answer; returns the beginning of its body. */
const send = (target: Target, port: number, agent: Agent, sent: Sent): Promise<string> =>
  new Promise((resolve) => {
    const { kind, method = 'GET', path, headers = {}, body } = sent
    const ended = (status: number | 'no answer', text: string) => {
      target.tally.add(kind, status, () => `${method} ${path}\n${text}`)
      resolve(text)
    }
    const sending = request({ port, host: '127.0.0.1', method, path, agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text = `${text}${part}`.slice(0, 2_000)))
      response.on('close', () => ended(response.statusCode ?? 'no answer', text))
    })
    sending.setTimeout(10_000, () => sending.destroy())
    sending.on('error', () => ended('no answer', '')).end(body)
  })

/** Sends `count` requests over a few connections, as fast as they are answered, with pauses of `gapMilliseconds` on each. */
const flood = async (
  target: Target,
  random: () => number,
  {
    count,
    connections,
    gapMilliseconds,
    next,
  }: { count: number; connections: number; gapMilliseconds: number; next: () => Sent },
): Promise<string[]> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const port = pick(target.ports, random)
  const waiting = Array.from({ length: count }, next)
  const answers: string[] = []
  const work = async () => {
    for (let one = waiting.pop(); one; one = waiting.pop()) {
      answers.push(await send(target, port, agent, one))
      await sleep(gapMilliseconds)
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
  agent.destroy()
  return answers
}

const cheap = [
  '/logs/api/stats',
  '/logs/health',
  '/listings/api/session',
  '/music/api/chains',
  '/nothing',
  '/openapi.json',
]
const from = (address: string) => ({ 'x-forwarded-for': address })

/** Many requests of one caller, more than its rate limit allows. */
export const floodOfRequests: Attack = async (target, random) => {
  const next = () => ({ kind: 'flood: requests', path: pick(cheap, random), headers: from(flooder) })
  await flood(target, random, { count: 150, connections: 8, gapMilliseconds: 20, next })
}

/** Asynchronous marketplace searches; most are cancelled. */
export const floodOfSearches: Attack = async (target, random) => {
  const headers = from('198.51.100.2')
  const next = (): Sent => {
    const path = `/listings/api/search/async?q=${pick(['camera', 'lens', 'bike', 'chair'], random)}%20${between(1, 50, random)}`
    return { kind: 'flood: searches', path, headers }
  }
  const answers = await flood(target, random, { count: 6, connections: 3, gapMilliseconds: 20, next })
  const sessions = answers.flatMap((text) => /"session_id":"([\w-]+)"/.exec(text)?.[1] ?? [])
  const cancelled = sessions.filter(() => random() < 0.8)
  const cancel = (session: string | undefined): Sent => ({
    kind: 'flood: cancelled searches',
    method: 'DELETE',
    path: `/listings/api/updates/${session}`,
    headers,
  })
  const count = cancelled.length
  await flood(target, random, { count, connections: 2, gapMilliseconds: 20, next: () => cancel(cancelled.pop()) })
}

/** Guesses of the admin key and of a branch key. */
export const floodOfCredentials: Attack = async (target, random) => {
  const next = (): Sent => {
    const key = `guess-${between(0, 1_000_000, random)}`
    const headers = from(`198.51.100.${between(3, 6, random)}`)
    const kind = 'flood: credentials'
    if (random() < 0.5) return { kind, path: '/logs/api/orchard/branches', headers: { ...headers, 'x-admin-key': key } }
    const bearer = { ...headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const slug = pick(['barn', 'nowhere'], random)
    return {
      kind,
      method: 'POST',
      path: `/logs/branches/${slug}/api/glean/batch`,
      headers: bearer,
      body: '{"entries":[]}',
    }
  }
  await flood(target, random, { count: 40, connections: 4, gapMilliseconds: 20, next })
}

const opening = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${flooder}\r\n\r\n`

/** Many connections at once: silent ones, partial requests, event streams. */
export const floodOfConnections: Attack = async ({ ports, tally }, random) => {
  const port = pick(ports, random)
  const words = [
    '',
    'GET /logs/api/st',
    opening('/logs/api/tail'),
    opening('/logs/api/tail?q=error'),
    opening('/health'),
  ]
  const opened = await Promise.all(Array.from({ length: 100 }, () => connect(port)))
  for (const socket of opened) {
    tally.add('flood: connections', socket ? 200 : 'no answer', () => 'a connection')
    socket?.resume().write(pick(words, random))
  }
  await sleep(between(200, 3_000, random))
  for (const socket of opened) random() < 0.5 ? socket?.destroy() : socket?.resetAndDestroy()
}
