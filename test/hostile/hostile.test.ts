/**
 * An installation under attack: disconnecting and slow clients, floods, malformed requests and frames, and pages of other sites, in an order
 * determined by `TEST_SEED`, while a normal user uses it. It takes a few seconds by default; `TEST_SECONDS` sets another duration and enables checks
 * of the user's latencies. `TEST_PACE` is the number of attacks started per second.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest'
import { prepare } from '../aborts/prepare.ts'
import { rawRequests } from '../aborts/requests.ts'
import { type Case, casesOf } from '../aborts/ways.ts'
import { adminKey, webhookEnvironment } from '../conformance/send.ts'
import { randomFrom, runSeed, runsFactor, shuffled } from '../support/exploration.ts'
import { holdingsOf, type ObservedTrellis, settle, startObserved } from '../support/holdings.ts'
import { observe } from '../support/observe.ts'
import { form } from '../support/trellis.ts'
import type { Target } from './attack.ts'
import { foreignChanges, preload, words } from './installation.ts'
import { listeningPorts, speaksHttp2 } from './ports.ts'
import { readBusy, readUsed, type Sample, watchProcesses } from './resources.ts'
import { runAttacks } from './run-attacks.ts'
import { growing, latencyLines, percentile, resourceLines, thirdsOf } from './summary.ts'
import { createTally } from './tally.ts'
import { startUser } from './user.ts'

const budget = Number(process.env.TEST_SECONDS || 0)
const isLong = budget > 0
const seconds = isLong ? budget : 7 * runsFactor
/** Seconds until caches, threads and workers are warm; memory and descriptors are compared from then on. */
const warmUpSeconds = Math.max(4, Math.min(60, seconds / 6))
const pace = Number(process.env.TEST_PACE || (form === 'embedded' ? 15 : 8))
const atOnce = 48
/** Lines that the user's searches go through; their latencies are only checked in a long run. */
const preloadedLines = isLong ? 30_000 : 5_000
const searchMilliseconds = 250
/** Unit of the CPU times in `/proc`: `USER_HZ` is 100 on every Linux. */
const microsecondsPerTick = 10_000

let observed: string
let installation: ObservedTrellis
let target: Target

/** Draws all cases once before any is repeated. */
const createDraw = (cases: readonly Case[]) => {
  const random = randomFrom(runSeed)
  let left: Case[] = []
  return (): Case => {
    if (left.length === 0) left = shuffled(cases, random)
    const one = left.pop()
    if (!one) throw new TypeError('There are no cases.')
    return one
  }
}

/** Ports of all processes except the public ports of the edges. */
const portsWithin = async (edges: readonly number[]): Promise<number[]> => {
  const pids = (await observe(observed)).map(({ pid }) => pid)
  const ports = (await Promise.all(pids.map(listeningPorts))).flat()
  return [...new Set(ports)].filter((port) => !edges.includes(port))
}

beforeAll(async () => {
  observed = await mkdtemp(join(tmpdir(), 'obs-'))
  installation = await startObserved(observed, {
    SERVICE_ORCHARD_ADMIN_KEY: adminKey,
    ...webhookEnvironment,
    BRANCH_LIMIT: '1',
    // Low enough that a flood exceeds it but the user and other attackers do not.
    RATE_LIMIT: '900',
    // Short, so that a short run reaches the timeouts too.
    ...(!isLong && { HEADERS_TIMEOUT_SECONDS: '3', BODY_IDLE_SECONDS: '4' }),
  })
  const { origin, origins } = installation.trellis
  const fixtures = await prepare(origin)
  await preload(origin, preloadedLines)
  const requests = rawRequests(fixtures)
  const ports = origins.map((one) => Number(new URL(one).port))
  const internalPorts = await portsWithin(ports)
  const areGrpc = await Promise.all(internalPorts.map(speaksHttp2))
  target = {
    ports,
    internalPorts,
    grpcPorts: internalPorts.filter((_, index) => areGrpc[index]),
    fixtures,
    requests,
    nextAbort: createDraw(requests.flatMap((request) => casesOf(request, randomFrom(runSeed)))),
    tally: createTally(),
  }
})
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  await rm(observed, { recursive: true, force: true })
})

const maxErrors = 20

/** The first log lines about errors and restarted processes. */
const loggedErrors = (output: string): string[] =>
  output
    .split('\n')
    .filter((line) => line.includes('"level":"error"') || line.includes('restarting'))
    .slice(0, maxErrors)
    .map((line) => line.slice(0, 2_000))

const attackedFor = async (forSeconds: number, seed: number) => {
  const { trellis } = installation
  const before = { ...(await readBusy()), used: await readUsed(trellis), own: process.cpuUsage() }
  const attacks = await runAttacks(
    target,
    { seed, pace, atOnce, seconds: forSeconds },
    () => trellis.process.exitCode !== null,
  )
  const after = { ...(await readBusy()), used: await readUsed(trellis) }
  const { user, system } = process.cpuUsage(before.own)
  const share = (ticks: number) => `${Math.round((100 * ticks) / (after.all - before.all))} %`
  const busy = share(after.busy - before.busy)
  const ofTrellis = share(after.used - before.used)
  return {
    attacks,
    busy: `${busy} busy, ${ofTrellis} by Trellis, ${share((user + system) / microsecondsPerTick)} by attackers and user`,
  }
}

describe(`the ${form} form under attack (TEST_SEED=${runSeed})`, () => {
  test('the user is served, there is no 5xx but 503, foreign pages change nothing, and nothing leaks', {
    timeout: (seconds + 600) * 1_000,
  }, async () => {
    const { trellis } = installation
    onTestFailed(() => {
      const faults = target.tally.faults().join('\n')
      process.stdout.write(`${faults}\nLogged errors:\n${loggedErrors(trellis.output()).join('\n')}\n`)
    })
    const user = startUser({
      origins: trellis.origins,
      chainPath: `/music/api/chains/${target.fixtures.values.chain_id}`,
      words,
    })
    await attackedFor(warmUpSeconds, runSeed + 1)
    await settle(installation)
    const before = await holdingsOf(installation)
    const began = Date.now()
    const watching = new AbortController()
    const watched = watchProcesses(trellis, isLong ? 5_000 : 500, watching.signal)
    const { attacks, busy } = await attackedFor(seconds, runSeed)
    watching.abort()
    const samples: Sample[] = await watched
    await user.stop()
    const used = user.used.filter(({ beganAt }) => beganAt >= began)
    const searches = used.filter(({ what }) => what === 'search')
    const summary = [
      `${form}, TEST_SEED=${runSeed}: ${attacks} attacks in ${seconds} s (${pace}/s); the machine was ${busy}`,
      'Requests by kind and status:',
      ...target.tally.lines(),
      'Latencies of the user:',
      ...latencyLines(used, began),
      'Megabytes/descriptors by process and minute:',
      ...resourceLines(samples, began),
    ]
    expect(target.grpcPorts.length > 0).toBe(form === 'distributed')
    process.stdout.write(`${summary.join('\n')}\n`)

    expect(target.tally.faults()).toEqual([])
    expect(user.used.filter(({ status }) => status !== 200)).toEqual([])
    expect(searches.reduce((sum, { found }) => sum + found, 0)).toBeGreaterThan(0)
    expect(await foreignChanges(trellis.origin, target.fixtures)).toEqual([])
    expect(loggedErrors(trellis.output())).toEqual([])
    await settle(installation, before)
    expect(growing(samples)).toEqual([])
    if (!isLong) return
    expect(target.tally.count('flood: requests', 429)).toBeGreaterThan(0)
    const times = searches.map(({ milliseconds }) => milliseconds)
    for (const part of [times, ...thirdsOf(times)]) expect(percentile(part, 0.99)).toBeLessThan(searchMilliseconds)
  })
})
