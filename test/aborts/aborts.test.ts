/**
 * Clients that disappear: every route, at every place of the exchange, in every way, against one installation. `TEST_RUNS_FACTOR` multiplies the share
 * of the matrix that runs (14 and more: all of it); `TEST_SEED` repeats a run.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@trellis/distributed/servers'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { adminKey } from '../conformance/send.ts'
import { type Observation, observe, observedBy } from '../support/observe.ts'
import { form, startTrellis, type Trellis } from '../support/trellis.ts'
import { prepare } from './prepare.ts'
import { rawRequests } from './requests.ts'
import { seededRandom, shuffled } from './seeded.ts'
import { type Case, disappear, placesOf, titleOf, ways } from './ways.ts'

const seed = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31)
const factor = Number(process.env.TEST_RUNS_FACTOR ?? 1)
const random = seededRandom(seed)
/** Cases of each request (route × body × encoding) in the default run. */
const casesPerRequest = Math.ceil(2 * factor)
const casesPerUpload = Math.ceil(8 * factor)
const atOnce = 24
const longestPauseMilliseconds = 100
const settleMilliseconds = 120_000

/** What may differ between two moments without being lost: caches, kept connections, warm workers. */
const margins = { files: 24, sockets: 48, timers: 32, children: 3, bytes: 96 * 1024 * 1024 }

let trellis: Trellis
let observed: string
let metricsPorts: number[]
let cases: Case[]

const metric = (text: string, name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)

const reserved = async (): Promise<Record<string, number>> => {
  const texts = await Promise.all(
    metricsPorts.map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
  )
  const names = ['trellis_logs_pushed_bytes', 'trellis_logs_spooled_bytes', 'trellis_streams_open']
  return Object.fromEntries(names.map((name) => [name, texts.reduce((sum, text) => sum + metric(text, name), 0)]))
}

/** Files that are being written, in any store of files under the data directory. */
const incoming = async (): Promise<string[]> =>
  (await readdir(trellis.dataDirectory, { recursive: true })).filter((path) => /(^|\/)(\.incoming|spool)\//.test(path))

const isTemporary = (file: string) => /\/\.incoming\/|\/spool\//.test(file)

/** What a process holds now and did not before, in words. */
const leftovers = (before: Observation, now: Observation): string[] => {
  const name = now.module.split('/').slice(-3).join('/')
  const more: string[] = []
  const check = (what: string, was: number, is: number, margin: number) => {
    if (is > was + margin) more.push(`${name}: ${what} ${was} -> ${is}`)
  }
  check('open files', before.files.length, now.files.length, margins.files)
  check('sockets', before.sockets, now.sockets, margins.sockets)
  check('children', before.children.length, now.children.length, margins.children)
  check('resident bytes', before.memory.rss, now.memory.rss, margins.bytes)
  for (const [kind, count] of Object.entries(now.resources))
    check(kind, before.resources[kind] ?? 0, count, kind.includes('TCP') ? margins.sockets : margins.timers)
  for (const file of now.files) if (isTemporary(file)) more.push(`${name}: ${file} is open`)
  for (const fault of now.faults) more.push(`${name}: ${fault}`)
  return more
}

/** What keeps the installation from being as it was: empty once it is. */
const difference = async (before: readonly Observation[] | undefined): Promise<string[]> => {
  const now = await observe(observed)
  const found = (await incoming()).map((path) => `${path} is there`)
  for (const [name, value] of Object.entries(await reserved())) if (value !== 0) found.push(`${name} is ${value}`)
  for (const one of now) found.push(...leftovers(before?.find(({ pid }) => pid === one.pid) ?? one, one))
  for (const { pid, module } of before ?? [])
    if (!now.some((one) => one.pid === pid)) found.push(`process ${pid} (${module}) has ended`)
  return found
}

/** Work that requests began, and that goes on without them, ends by itself: waits for that. */
const settle = async (before?: readonly Observation[]): Promise<void> => {
  const limit = Date.now() + settleMilliseconds
  let found = await difference(before)
  for (; found.length > 0 && Date.now() < limit; found = await difference(before)) await sleep(500)
  expect(found, trellis.output().slice(-4_000)).toEqual([])
}

const play = async (played: readonly Case[]): Promise<void> => {
  const ports = trellis.origins.map((origin) => Number(new URL(origin).port))
  const waiting = [...played]
  const stalled: Socket[] = []
  const work = async (index: number) => {
    for (let one = waiting.pop(); one; one = waiting.pop()) {
      const left = await disappear(ports[index % ports.length] ?? 0, one)
      if (left) stalled.push(left)
      if (trellis.process.exitCode !== null) throw new Error(`${titleOf(one)}: the process ended.`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, (_, index) => work(index)))
  for (const socket of stalled) random() < 0.5 ? socket.destroy() : socket.resetAndDestroy()
}

const matrix = (requests: ReturnType<typeof rawRequests>): Case[] =>
  requests.flatMap((request) => {
    const all = placesOf(request).flatMap((place) => ways.map((way) => ({ request, place, way })))
    return shuffled(all, random)
      .slice(0, request.isUpload ? casesPerUpload : casesPerRequest)
      .map((one) => ({ ...one, pauseMilliseconds: random() * longestPauseMilliseconds }))
  })

beforeAll(async () => {
  observed = await mkdtemp(join(tmpdir(), 'obs-'))
  const metricsPort = await freePort()
  trellis = await startTrellis({
    ...observedBy(observed),
    ...(form === 'embedded' && { METRICS_PORT: String(metricsPort) }),
    SERVICE_ORCHARD_ADMIN_KEY: adminKey,
    BRANCH_LIMIT: '1',
    MARKETPLACE_BASE_URL: 'http://127.0.0.1:9',
  })
  const named = [...trellis.output().matchAll(/metrics on port (\d+)/g)].map(([, port]) => Number(port))
  metricsPorts = form === 'embedded' ? [metricsPort] : named.filter((port) => port > 0)
  cases = shuffled(matrix(rawRequests(await prepare(trellis.origin))), random)
})
afterAll(async () => {
  await trellis?.[Symbol.asyncDispose]()
  await rm(observed, { recursive: true, force: true })
})

describe(`the ${form} form, whose clients disappear (TEST_SEED=${seed})`, () => {
  test('holds afterwards what it held before, and has logged no fault', { timeout: 1_800_000 }, async () => {
    // The first half opens what stays open: caches, kept connections, warm workers.
    const half = cases.length >> 1
    await play(cases.slice(0, half))
    await settle()
    const before = await observe(observed)
    await play(cases.slice(half))
    await settle(before)
    expect(trellis.output()).not.toContain('"level":"error"')
  })

  test('serves the next client as ever', async () => {
    const body = JSON.stringify({ source_id: 'afterwards', entries: [{ text: 'still here' }] })
    const headers = { 'content-type': 'application/json' }
    for (const origin of trellis.origins) {
      const sent = await fetch(`${origin}/logs/api/glean/batch`, { method: 'POST', headers, body })
      expect(sent.status).toBe(200)
      const search = `${origin}/logs/api/search?q=still%20here&source=afterwards`
      await vi.waitFor(async () => expect(await (await fetch(search)).text()).toContain('still here'), 20_000)
    }
  })
})
