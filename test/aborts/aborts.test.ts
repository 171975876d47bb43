/**
 * Clients that disconnect: every route, at random points of the exchange and in random ways, against one installation; then one case each of some
 * routes repeatedly. The distributed form draws some of the routes. `TEST_RUNS_FACTOR` multiplies the cases: from 10 on, the embedded form runs the
 * whole matrix, and the distributed form every route. `TEST_SEED` repeats a run.
 */

import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { randomFrom, runSeed, runs, runsOrWhole, sample, shuffled } from '../support/exploration.ts'
import { holdingsOf, type Margins, settle, wideMargins } from '../support/holdings.ts'
import { form } from '../support/trellis.ts'
import { waitFor } from '../support/wait-for.ts'
import { type Aborted, startAborted } from './installation.ts'
import { nameOfRoute, type RawRequest } from './requests.ts'
import { createTally } from './tally.ts'
import { answerTo, type Case, casesOf, disappear, type Place, titleOf } from './ways.ts'

const random = randomFrom(runSeed)
const all = Number.POSITIVE_INFINITY
/**
 * Sampled cases of each sampled request (route × body × encoding), out of up to 27, in addition to one that aborts in the response. The processes of
 * the distributed form share the cores.
 */
const sampledCases =
  form === 'embedded' ? { request: runsOrWhole(1, all), upload: runsOrWhole(3, all) } : { request: 1, upload: runs(2) }
/** Sampled requests of each route. */
const sampledRequests = form === 'embedded' ? runsOrWhole(1, all) : runs(1)
/** Sampled routes, in addition to those with long answers, which are the ones that can be left in the middle. */
const sampledRoutes = form === 'embedded' ? all : runsOrWhole(50, all)
const atOnce = 24
const timeout = 3_600_000

/** Routes that cannot succeed in this installation. */
const unreachable: Record<string, string> = {
  'POST /listings/api/alert-settings/email/confirm': 'no code is pending, because no mail is sent',
  'POST /music/api/chains/{chain_id}/nodes/{node_id}/retry': 'only a failed generation can be retried',
  'POST /music/api/gpu/sessions': 'this machine has no GPU slots to lease',
  'PUT /music/api/gpu/sessions/{session_id}': 'no lease exists without a slot',
  'DELETE /music/api/gpu/sessions/{session_id}': 'no lease exists without a slot',
}

/** Margins after the first half of the matrix has warmed everything up. */
const warm: Margins = { ...wideMargins, files: 8, sockets: 24, timers: 16, children: 1, connections: 0 }

/** Routes per service with a repeated case, repetitions of each, and allowed growth: less than one leaked resource in three repetitions. */
const repeatedRoutes = runs(form === 'embedded' ? 8 : 4)
const repeats = form === 'embedded' ? 30 : 8
const tight: Margins = {
  files: 4,
  sockets: repeats / 3,
  timers: repeats / 3,
  children: 1,
  bytes: 128 * 1024 * 1024,
  heapBytes: 24 * 1024 * 1024,
  connections: 0,
}

/**
 * Updates of searches are retained while their sessions live: those of the 90 searches that three routes of listings start at most take 26 to 36 MB of
 * the heap.
 */
const withRetainedUpdates: Margins = { ...tight, heapBytes: 56 * 1024 * 1024 }

/** Routes with answers so long or slow that a client can leave in their middle. */
const longAnswers: readonly string[] = [
  'GET /listings/api/updates/{session_id}',
  'GET /logs/api/search',
  'GET /logs/api/tail',
  'GET /logs/api/tasks/{task_id}/events',
  'POST /logs/api/diagnose/stream',
  'GET /music/api/chains/{chain_id}/events',
  'GET /music/api/chains/{chain_id}/nodes/{node_id}/audio',
  'GET /music/api/chains/{chain_id}/nodes/{node_id}/stems/{name}',
  'POST /music/api/chains/{chain_id}/export',
]
const hasLongAnswer = ([request]: readonly RawRequest[]) =>
  request !== undefined && longAnswers.includes(nameOfRoute(request.route))

/** Whether a request gets far enough for the handler of its route to run. */
const isHandled = (place: Place) => place === 'at half of the body' || place.endsWith('the response')

const tally = createTally()

let aborted: Aborted

const play = async (played: readonly Case[]): Promise<void> => {
  const { ports, observed } = aborted
  const waiting = [...played]
  const stalled: Socket[] = []
  const work = async (index: number) => {
    for (let one = waiting.pop(); one; one = waiting.pop()) {
      const request = (await one.request.renew?.()) ?? one.request
      const played = { ...one, request }
      const left = await disappear(ports[index % ports.length] ?? 0, played, (packet) => tally.add(played, packet))
      if (left) stalled.push(left)
      if (observed.trellis.process.exitCode !== null) throw new Error(`${titleOf(one)}: the process ended.`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, (_, index) => work(index)))
  for (const socket of stalled) random() < 0.5 ? socket.destroy() : socket.resetAndDestroy()
  await aborted.tidy()
}

const loggedErrors = () =>
  aborted.observed.trellis
    .output()
    .split('\n')
    .filter((line) => line.includes('"level":"error"'))
    .slice(0, 20)

const byRoute = (requests: readonly RawRequest[]): RawRequest[][] => [
  ...Map.groupBy(requests, ({ route }) => nameOfRoute(route)).values(),
]

/** The requests of the sampled routes, and all of those with long answers. */
const sampledOf = (requests: readonly RawRequest[]): RawRequest[] => {
  const ofRoutes = byRoute(requests)
  const drawn = new Set(sample(ofRoutes, sampledRoutes, 'routes'))
  return ofRoutes.filter((ofRoute) => drawn.has(ofRoute) || hasLongAnswer(ofRoute)).flat()
}

/**
 * Sampled cases of sampled requests of each route. One case of each always aborts in the middle of the response, since few responses are long.
 */
const matrix = (requests: readonly RawRequest[]): Case[] =>
  byRoute(requests)
    .flatMap((ofRoute) => (hasLongAnswer(ofRoute) ? ofRoute : shuffled(ofRoute, random).slice(0, sampledRequests)))
    .flatMap((request) => {
      const cases = shuffled(casesOf(request, random), random)
      const inResponse = cases.find(({ place }) => place === 'in the middle of the response')
      const others = cases.filter((one) => one !== inResponse)
      const count = request.isUpload ? sampledCases.upload : sampledCases.request
      return [...(inResponse ? [inResponse] : []), ...others.slice(0, count)]
    })

/** Sends a request, and repeats it up to 40 times while it is answered 409 or 429 because similar requests are in progress. */
const patientAnswer = async (request: RawRequest) => {
  const port = aborted.ports[0] ?? 0
  for (let left = 40; ; left -= 1) {
    const answer = await answerTo(port, (await request.renew?.()) ?? request)
    if ((answer.status !== 409 && answer.status !== 429) || left === 0) return answer
    await sleep(250)
  }
}

beforeAll(async () => {
  aborted = await startAborted()
}, timeout)
afterAll(() => aborted?.[Symbol.asyncDispose]())

describe(`the ${form} form with disconnecting clients (TEST_SEED=${runSeed})`, () => {
  test('the requests of the matrix get 2xx, some with answers larger than socket buffers', {
    timeout,
  }, async () => {
    const succeeded = new Set<string>()
    const answers = new Map<string, number[]>()
    const large: string[] = []
    const requests = sampledOf(aborted.requests)
    for (const request of requests) {
      const name = nameOfRoute(request.route)
      if (request.name.includes('gzip') || name in unreachable) continue
      if (succeeded.has(name) && request.body.length > 0) continue
      const { status, bytes } = await patientAnswer(request)
      answers.set(name, [...(answers.get(name) ?? []), status])
      if (status >= 200 && status < 300) succeeded.add(name)
      if (bytes > 1_000_000) large.push(request.name)
    }
    const refused = [...answers]
      .filter(([name]) => !succeeded.has(name))
      .map(([name, statuses]) => `${name}: ${statuses}`)
    expect({ refused, errors: loggedErrors() }).toEqual({ refused: [], errors: [] })
    const reachable = byRoute(requests).filter(([request]) => request && !(nameOfRoute(request.route) in unreachable))
    expect(succeeded.size / reachable.length).toBeGreaterThan(0.9)
    expect(large.length).toBeGreaterThan(2)
    await aborted.tidy()
  })

  test('the matrix leaks no resources and logs no errors', { timeout }, async () => {
    const cases = shuffled(matrix(sampledOf(aborted.requests)), random)
    // The first half opens what stays open: caches, keep-alive connections, warm workers.
    const half = cases.length >> 1
    await play(cases.slice(0, half))
    await settle(aborted.observed, undefined, warm, aborted.tidy)
    const before = await holdingsOf(aborted.observed)
    await play(cases.slice(half))
    await settle(aborted.observed, before, warm, aborted.tidy)
    expect({ faults: tally.faults(), errors: loggedErrors() }).toEqual({ faults: [], errors: [] })
    expect(tally.leftInTheMiddle()).toBeGreaterThan(form === 'embedded' ? 5 : 0)
  })

  test.each([
    ['/listings/', withRetainedUpdates],
    ['/logs/', tight],
    ['/music/', tight],
  ])('repeated cases of %s leak no resources', { timeout }, async (mount, margins) => {
    const ofService = aborted.requests.filter(({ route }) => route.path.startsWith(mount))
    const repeated = sample(byRoute(ofService), repeatedRoutes).flatMap((ofRoute) => {
      const cases = ofRoute.flatMap((request) => casesOf(request, random)).filter(({ place }) => isHandled(place))
      return shuffled(cases, random).slice(0, 1)
    })
    // The matrix has not warmed up what only these cases need.
    await play(repeated)
    await settle(aborted.observed, undefined, warm, aborted.tidy)
    const before = await holdingsOf(aborted.observed)
    await play(Array.from({ length: repeats }, () => repeated).flat())
    await settle(aborted.observed, before, margins, aborted.tidy)
    expect({ faults: tally.faults(), errors: loggedErrors() }).toEqual({ faults: [], errors: [] })
  })

  test('the installation serves the next client normally', async () => {
    const body = JSON.stringify({ source_id: 'afterwards', entries: [{ text: 'still here' }] })
    const headers = { 'content-type': 'application/json' }
    for (const origin of aborted.observed.trellis.origins) {
      const sent = await fetch(`${origin}/logs/api/glean/batch`, { method: 'POST', headers, body })
      expect(sent.status).toBe(200)
      const search = `${origin}/logs/api/search?q=still%20here&source=afterwards`
      await waitFor(async () => expect(await (await fetch(search)).text()).toContain('still here'))
    }
  })
})
