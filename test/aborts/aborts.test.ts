/**
 * Clients that disappear: every route, at every place of the exchange, in every way, against one installation. `TEST_RUNS_FACTOR` multiplies the share
 * of the matrix that runs (14 and more: all of it); `TEST_SEED` repeats a run.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { adminKey } from '../conformance/send.ts'
import { randomFrom, runSeed, runs, shuffled } from '../support/exploration.ts'
import { type ObservedTrellis, settle, startObserved } from '../support/holdings.ts'
import { observe } from '../support/observe.ts'
import { form } from '../support/trellis.ts'
import { prepare } from './prepare.ts'
import { type RawRequest, rawRequests } from './requests.ts'
import { type Case, casesOf, disappear, titleOf } from './ways.ts'

const random = randomFrom(runSeed)
/** Cases of each request (route × body × encoding) in the default run. */
const casesPerRequest = runs(2)
const casesPerUpload = runs(8)
const atOnce = 24

let observed: string
let installation: ObservedTrellis
let cases: Case[]

const play = async (played: readonly Case[]): Promise<void> => {
  const { trellis } = installation
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

const matrix = (requests: readonly RawRequest[]): Case[] =>
  requests.flatMap((request) =>
    shuffled(casesOf(request, random), random).slice(0, request.isUpload ? casesPerUpload : casesPerRequest),
  )

beforeAll(async () => {
  observed = await mkdtemp(join(tmpdir(), 'obs-'))
  installation = await startObserved(observed, {
    SERVICE_ORCHARD_ADMIN_KEY: adminKey,
    BRANCH_LIMIT: '1',
    MARKETPLACE_BASE_URL: 'http://127.0.0.1:9',
  })
  cases = shuffled(matrix(rawRequests(await prepare(installation.trellis.origin))), random)
})
afterAll(async () => {
  await installation?.trellis[Symbol.asyncDispose]()
  await rm(observed, { recursive: true, force: true })
})

describe(`the ${form} form, whose clients disappear (TEST_SEED=${runSeed})`, () => {
  test('holds afterwards what it held before, and has logged no fault', { timeout: 1_800_000 }, async () => {
    // The first half opens what stays open: caches, kept connections, warm workers.
    const half = cases.length >> 1
    await play(cases.slice(0, half))
    await settle(installation)
    const before = await observe(observed)
    await play(cases.slice(half))
    await settle(installation, before)
    expect(installation.trellis.output()).not.toContain('"level":"error"')
  })

  test('serves the next client as ever', async () => {
    const body = JSON.stringify({ source_id: 'afterwards', entries: [{ text: 'still here' }] })
    const headers = { 'content-type': 'application/json' }
    for (const origin of installation.trellis.origins) {
      const sent = await fetch(`${origin}/logs/api/glean/batch`, { method: 'POST', headers, body })
      expect(sent.status).toBe(200)
      const search = `${origin}/logs/api/search?q=still%20here&source=afterwards`
      await vi.waitFor(async () => expect(await (await fetch(search)).text()).toContain('still here'), 20_000)
    }
  })
})
