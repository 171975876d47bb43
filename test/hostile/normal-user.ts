/**
 * A normal user of the installation during the attack, in a separate thread, so that the work of the attackers in this process does not affect the
 * measured latencies. `npm test` measures them too, but only a long run checks them.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'

/** Existing resources that the user requests. */
export type Usage = { origins: readonly string[]; chainPath: string; words: readonly string[] }

/** One request of the user: its start in milliseconds since the epoch, and the time until the complete answer. */
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

/** Sends a request per interval, or at once if the last answer took longer. */
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
