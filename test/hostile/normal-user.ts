/**
 * Someone who uses the installation while it is attacked, in a thread of their own, so that what attackers do in this process is no part of the
 * latencies. `npm test` measures it, too, but only a long run judges it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'

/** Where the user finds things that are there. */
export type Usage = { origins: readonly string[]; chainPath: string; words: readonly string[] }

/** One request of the user: when it began, in milliseconds since the epoch, and how long the answer took to arrive in full. */
export type Used = {
  what: 'search' | 'listings' | 'music'
  path: string
  status: number
  beganAt: number
  milliseconds: number
  found: number
}

const address = '203.0.113.7'
const searchesEveryMilliseconds = 500
const pagesEveryMilliseconds = 1_000

const use = async (origin: string, what: Used['what'], path: string): Promise<Used> => {
  const beganAt = Date.now()
  const began = performance.now()
  const response = await fetch(`${origin}${path}`, { headers: { 'x-forwarded-for': address } })
  const text = await response.text()
  const milliseconds = performance.now() - began
  const found = what === 'search' ? Number(/"total":(\d+)/.exec(text)?.[1] ?? 0) : 1
  return { what, path, status: response.status, beganAt, milliseconds, found }
}

/** Requests something each time that the interval has passed, and at once where the last answer took longer. */
const every = async (interval: number, isOver: () => boolean, request: (round: number) => Promise<void>) => {
  for (let round = 0; !isOver(); round += 1) {
    const began = performance.now()
    await request(round)
    await sleep(Math.max(0, interval - (performance.now() - began)))
  }
}

const run = async ({ origins, chainPath, words }: Usage, report: (used: Used) => void) => {
  let isOver = false
  parentPort?.once('message', () => {
    isOver = true
  })
  const at = <Item>(items: readonly Item[], round: number) => items[round % items.length] as Item
  const show = async (what: Used['what'], path: string, round: number) =>
    report(await use(at(origins, round), what, path))
  const search = (round: number) => {
    const query = `${at(words, round)} ${at(words, round * 7 + 3)}`
    const severity = round % 3 === 0 ? '&severity=ERROR' : ''
    return show(
      'search',
      `/logs/api/search?q=${encodeURIComponent(round % 2 === 0 ? at(words, round) : query)}${severity}`,
      round,
    )
  }
  const listings = ['/listings/api/session', '/listings/api/comps?q=camera', '/listings/api/health']
  const music = ['/music/api/chains', chainPath, '/music/api/gpu']
  const over = () => isOver
  await Promise.all([
    every(searchesEveryMilliseconds, over, search),
    every(pagesEveryMilliseconds, over, (round) => show('listings', at(listings, round), round)),
    every(pagesEveryMilliseconds, over, (round) => show('music', at(music, round), round)),
  ])
}

if (!isMainThread && parentPort) {
  const port = parentPort
  await run(workerData as Usage, (used) => port.postMessage(used))
}
