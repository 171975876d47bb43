import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runSeed, sample } from '../support/exploration.ts'
import { crash, pidOf } from '../support/installation.ts'
import { followEvents } from '../support/resuming-events.ts'
import { startTrellis, type Trellis } from '../support/trellis.ts'
import { tune } from '../support/tune.ts'
import { waitFor } from '../support/wait-for.ts'

/**
 * Milliseconds within which every request must be answered or refused. A dead peer is noticed at once, a hanging one after 15 s of
 * silence, and then safe calls are retried.
 */
const answerLimit = 30_000

type Answer = { status: number; retryAfter: string | null; body: Record<string, unknown> }

const send = async (url: string, init: RequestInit = {}): Promise<Answer> => {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(answerLimit) })
  const text = await response.text()
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : { text },
  }
}

/** Whether the connection was refused. If the edge itself was killed, nothing answers, which is not a hang. */
const isRefused = (error: unknown) => error instanceof TypeError

/** Violations of an answer: it must succeed, or be a 503 with Retry-After. */
const faultsOf = ({ status, retryAfter, body }: Answer): string[] => {
  if (status < 500) return []
  if (status !== 503) return [`${status}: ${JSON.stringify(body)}`]
  return retryAfter === null ? [`503 without Retry-After: ${JSON.stringify(body)}`] : []
}

/** Requests the paths in loops, like users, and collects violations of the answers. */
const keepRequesting = (origin: string, paths: readonly string[]) => {
  const stop = new AbortController()
  const wrong: string[] = []
  const counts = { answered: 0, refused: 0 }
  const loop = async (path: string) => {
    while (!stop.signal.aborted) {
      try {
        const answer = await send(`${origin}${path}`)
        if (answer.status === 200) counts.answered += 1
        else counts.refused += 1
        wrong.push(...faultsOf(answer).map((fault) => `${path} ${fault}`))
      } catch (error) {
        if (!isRefused(error)) wrong.push(`${path} ${String(error)}`)
      }
      await sleep(50)
    }
  }
  const done = Promise.all(paths.map(loop))
  return {
    answered: () => counts.answered,
    end: async () => {
      stop.abort()
      await done
      return { wrong, ...counts }
    },
  }
}

/** Pushes batches of distinct lines sequentially, and retries each until it is acknowledged. */
const pushLines = (origin: string, name: string) => {
  const acknowledged: string[] = []
  const wrong: string[] = []
  const stop = new AbortController()
  let refusals = 0
  const push = async (number: number) => {
    const texts = Array.from({ length: 5 }, (_, index) => `${name} ledgerline n${number}x${index}`)
    const body = JSON.stringify({ source_id: name, entries: texts.map((text) => ({ text })) })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    for (let tries = 0; tries < 500; tries += 1) {
      try {
        const answer = await send(`${origin}/logs/api/glean/batch`, init)
        if (answer.status === 200) return acknowledged.push(...texts)
        refusals += 1
        wrong.push(...faultsOf(answer))
      } catch (error) {
        if (!isRefused(error)) wrong.push(String(error))
      }
      await sleep(100)
    }
    return wrong.push(`${name} ${number} was never accepted`)
  }
  const done = (async () => {
    for (let number = 0; !stop.signal.aborted; number += 1) await push(number)
  })()
  return {
    acknowledged,
    wrong,
    refusals: () => refusals,
    end: () => {
      stop.abort()
      return done
    },
  }
}

/** Waits until each of these counts has grown by 10. */
const advances = async (counts: readonly (() => number)[]) => {
  const targets = counts.map((count) => count() + 10)
  await waitFor(() => expect(counts.filter((count, index) => count() < (targets[index] as number))).toEqual([]), {
    interval: 100,
  })
}

const found = async (origin: string, name: string): Promise<string[]> => {
  const texts: string[] = []
  let cursor: unknown
  do {
    const after = cursor ? `&cursor=${encodeURIComponent(String(cursor))}` : ''
    const { status, body } = await send(
      `${origin}/logs/api/search?q=ledgerline&source=${name}&limit=500&order=time${after}`,
    )
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
    texts.push(...(body.entries as { text: string }[]).map(({ text }) => text))
    cursor = body.next_cursor
  } while (cursor)
  return texts
}

const families = {
  lines: ['logs-1', 'logs-2', 'NATS', 'Postgres', 'S3', 'edge-1'],
  searches: ['listings-1', 'listings-2', 'workloads', 'NATS', 'Postgres'],
  generations: ['music-1', 'music-2', 'workloads', 'NATS', 'S3'],
  stopped: ['NATS', 'Postgres', 'S3', 'logs-1'],
}
type Family = keyof typeof families

/** Half of the families in a run, each with one victim; with a factor of 10 all of them with all victims. */
const drawn = sample(Object.keys(families), 2, 'families')
const victimsOf = (family: Family): string[] => (drawn.includes(family) ? sample(families[family], 1, family) : [])

describe(`after any process fails (TEST_SEED=${runSeed})`, () => {
  let trellis: Trellis
  beforeAll(async () => {
    // Prices are requested more often than a caller may start searches.
    trellis = await startTrellis({ RATE_LIMIT_SEARCHES: '0' }, { form: 'distributed', ownServers: true })
  })
  afterAll(() => trellis[Symbol.asyncDispose]())

  test.each(victimsOf('lines'))(
    '%s killed: each acknowledged line is found and tailed once, and no request hangs',
    async (victim) => {
      const name = `push-${victim.toLowerCase()}`
      await using tail = followEvents(`${trellis.origin}/logs/api/tail?source=${name}`)
      await tail.opened
      const pushing = pushLines(trellis.origin, name)
      const requesting = keepRequesting(trellis.origin, ['/logs/api/search?q=ledgerline&limit=5', '/logs/api/sources'])
      const untilProgress = () => advances([() => pushing.acknowledged.length, requesting.answered])
      await untilProgress()
      await sleep(1_500)
      await crash(trellis, victim)
      await sleep(3_000)
      await untilProgress()
      await pushing.end()
      expect(pushing.wrong).toEqual([])
      expect((await requesting.end()).wrong).toEqual([])
      await waitFor(
        async () => {
          const texts = await found(trellis.origin, name)
          expect(texts.toSorted()).toEqual([...new Set(texts)].toSorted())
          expect(pushing.acknowledged.filter((text) => !texts.includes(text))).toEqual([])
        },
        { interval: 500 },
      )
      const seen = () => tail.events.flatMap(({ event, data }) => (event === 'entry' ? [String(data.text)] : []))
      await waitFor(() => expect(pushing.acknowledged.filter((text) => !seen().includes(text))).toEqual([]), {
        interval: 500,
      })
      expect(seen().toSorted()).toEqual([...new Set(seen())].toSorted())
      expect(tail.events.filter(({ event }) => event !== 'entry')).toEqual([])
    },
  )

  test.each(victimsOf('searches'))(
    '%s killed: running searches complete, and their streams end once',
    async (victim) => {
      const searches = await Promise.all(
        ['lens', 'camera', 'tripod', 'flash'].map(async (words) => {
          const { status, body } = await send(`${trellis.origin}/listings/api/search/async?q=${words}&pages=3`)
          expect(status).toBe(202)
          return followEvents(`${trellis.origin}/listings/api/updates/${String(body.session_id)}`)
        }),
      )
      const requesting = keepRequesting(trellis.origin, ['/listings/api/comps?q=camera', '/listings/api/session'])
      await sleep(150)
      await crash(trellis, victim)
      const isOver = ({ events }: (typeof searches)[number]) => events.some(({ event }) => event === 'done')
      await waitFor(() => expect(searches.filter((search) => !isOver(search)).length).toBe(0), { interval: 250 })
      expect((await requesting.end()).wrong).toEqual([])
      for (const search of searches) {
        const ids = search.events.map(({ id }) => Number(id)).filter((id) => id > 0)
        expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => one - other))
        await search[Symbol.asyncDispose]()
      }
    },
  )

  test.each(victimsOf('generations'))(
    '%s killed: running generations become ready or fail with a reason, each once',
    async (victim) => {
      const form = new FormData()
      form.append('file', new Blob([tune({ seconds: 20 }) as Uint8Array<ArrayBuffer>]), 'tune.wav')
      const chain = await send(`${trellis.origin}/music/api/chains`, { method: 'POST', body: form })
      expect(chain.status).toBe(201)
      const { chain_id: id, root_node_id: root } = chain.body
      const made = await send(`${trellis.origin}/music/api/chains/${id}/nodes/${root}/branches`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ duration_seconds: 20, takes: 3, seed: 5 }),
      })
      expect(made.status).toBe(202)
      const requesting = keepRequesting(trellis.origin, [`/music/api/chains/${id}`, '/music/api/chains?limit=5'])
      await sleep(300)
      await crash(trellis, victim)
      type Node = { node_id: string; status: string; error: unknown; kind: string }
      const branches = async (): Promise<Node[]> => {
        const { status, body } = await send(`${trellis.origin}/music/api/chains/${id}`)
        if (status !== 200) throw new Error(`The chain answered ${status}.`)
        return (body.nodes as Node[]).filter(({ kind }) => kind !== 'upload')
      }
      await waitFor(
        async () => expect((await branches()).filter(({ status }) => status === 'generating')).toEqual([]),
        { interval: 500 },
      )
      expect((await requesting.end()).wrong).toEqual([])
      const nodes = await branches()
      expect(nodes).toHaveLength(3)
      for (const { status, error } of nodes)
        expect(status === 'ready' || (status === 'error' && error !== null)).toBe(true)
      for (const { node_id, status } of nodes.filter((node) => node.status === 'ready')) {
        const audio = await fetch(`${trellis.origin}/music/api/chains/${id}/nodes/${node_id}/audio`)
        expect([status, audio.status, (await audio.arrayBuffer()).byteLength > 1_000]).toEqual(['ready', 200, true])
      }
    },
  )

  test.each(victimsOf('stopped'))(
    '%s stopped for 20 s: requests are answered or refused in time, and succeed afterwards',
    async (victim) => {
      const paths = [
        '/logs/api/search?q=ledgerline&limit=5',
        '/listings/api/comps?q=camera',
        '/music/api/chains?limit=5',
      ]
      const pushing = pushLines(trellis.origin, `still-${victim.toLowerCase()}`)
      const requesting = keepRequesting(trellis.origin, paths)
      await sleep(1_000)
      const pid = pidOf(trellis, victim)
      process.kill(pid, 'SIGSTOP')
      await sleep(20_000)
      process.kill(pid, 'SIGCONT')
      await sleep(3_000)
      await pushing.end()
      const { wrong } = await requesting.end()
      expect([...pushing.wrong, ...wrong]).toEqual([])
      for (const path of paths) expect((await send(`${trellis.origin}${path}`)).status, path).toBe(200)
    },
  )
})
