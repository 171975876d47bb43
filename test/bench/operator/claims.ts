import { setTimeout as sleep } from 'node:timers/promises'
import { searches } from '@trellis/operator/crds'
import type { Client } from '@trellis/operator/runtime'
import { isFinished } from '../../../operator/src/runs/mod.ts'
import { round } from '../machine.ts'
import { fullPool, listAll, makeSearch, removeSearches, setPool, until } from './api.ts'
import { openLoop } from './arrivals.ts'
import { type BusTap, type Step, steps } from './bus-tap.ts'
import { inPercentiles, percentile } from './latencies.ts'

/** The namespace in which Searches are created, and the bus tap that observes them. */
export type ClaimTestbed = { client: Client; namespace: string; tap: BusTap }

/** One Search, with times in milliseconds: when it was sent, when the API server had created it, and its messages on the bus. */
type Sample = {
  name: string
  sent: number
  created: number
  started: number
  received: (step: Step) => number | undefined
}

/** Seconds to wait for a worker to start before the bench fails. */
const patience = 300

let made = 0

const searchOnce = async ({ client, namespace, tap }: ClaimTestbed): Promise<Sample> => {
  made += 1
  const name = `bench-${made}`
  const sent = performance.now()
  const { metadata } = await makeSearch(client, namespace, name)
  const created = performance.now()
  const runId = `obj-${metadata.uid}`
  const started = await tap.started(runId, AbortSignal.timeout(patience * 1_000))
  return { name, sent, created, started, received: (step) => tap.received(runId, step) }
}

/** Median and 90th percentile of the times of each step since the Search was sent; a claim is patched just before `assigned`. */
const onTheWay = (samples: readonly Sample[]): string => {
  const shown = (what: string, times: readonly number[]) =>
    `${what} ${round(percentile(times, 0.5))} (${round(percentile(times, 0.9))})`
  const parts = steps
    .filter((step) => step !== 'started')
    .map((step) => {
      const times = samples.flatMap(({ sent, received }) => {
        const at = received(step)
        return at === undefined ? [] : [at - sent]
      })
      return shown(step, times)
    })
  const created = samples.map((sample) => sample.created - sample.sent)
  return [shown('created', created), ...parts].join(', ')
}

/** Waits until all have ended; returns the names of those that no idle worker took. */
const coldOnes = async ({ client, namespace }: ClaimTestbed): Promise<Set<string>> => {
  const all = () => listAll(client, searches, namespace)
  await until('all Searches have ended', async () => (await all()).every(isFinished), patience)
  return new Set((await all()).filter(({ status }) => status.warm !== true).map(({ metadata }) => metadata.name))
}

const sinceSent = (samples: readonly Sample[]) => samples.map(({ sent, started }) => started - sent)

const describe = (what: string, samples: readonly Sample[], cold: Set<string>): string[] => {
  const warm = samples.filter(({ name }) => !cold.has(name))
  const missed = samples.filter(({ name }) => cold.has(name))
  return [
    `  ${what}`,
    ...(warm.length > 0
      ? [
          `    ${warm.length} warm: ${inPercentiles(sinceSent(warm))}`,
          `      of that, since it was sent, p50 (p90) in ms: ${onTheWay(warm)}`,
        ]
      : []),
    ...(missed.length > 0 ? [`    ${missed.length} cold: ${inPercentiles(sinceSent(missed))}`] : []),
  ]
}

export type WarmLoad = {
  perSecond: number
  /** Searches per round; the pool is refilled before each round. */
  count: number
  rounds: number
  pool: number
}

/** Measures from Search to started worker under a steady arrival of Searches, with a pool of real pods. */
export const measureWarm = async (
  testbed: ClaimTestbed,
  { perSecond, count, rounds, pool }: WarmLoad,
): Promise<string[]> => {
  const { client, namespace } = testbed
  await setPool(client, namespace, pool)
  const samples: Sample[] = []
  const cold = new Set<string>()
  for (let round = 0; round < rounds; round += 1) {
    await fullPool(client, namespace, pool)
    // The last workers of the pool have only just started.
    await sleep(3_000)
    samples.push(...(await openLoop({ count, perSecond }, () => searchOnce(testbed))))
    for (const name of await coldOnes(testbed)) cold.add(name)
    await removeSearches(client, namespace)
  }
  const often = rounds === 1 ? '' : `, ${rounds} times, each with a full pool at first`
  return describe(`${perSecond} a second, ${count} Searches${often}, pool of ${pool}`, samples, cold)
}

/** Measures without a pool: a pod is created, scheduled and started for each Search, one after the other. */
export const measureCold = async (testbed: ClaimTestbed, count: number): Promise<string[]> => {
  await setPool(testbed.client, testbed.namespace, 0)
  const samples: Sample[] = []
  for (let at = 0; at < count; at += 1) {
    samples.push(await searchOnce(testbed))
    await coldOnes(testbed)
    await sleep(1_000)
  }
  const cold = await coldOnes(testbed)
  await removeSearches(testbed.client, testbed.namespace)
  return describe(`one at a time, ${count} Searches, no pool`, samples, cold)
}

/** Measures many Searches at once, more than the pool has workers. */
export const measureBurst = async (
  testbed: ClaimTestbed,
  { count, pool }: { count: number; pool: number },
): Promise<string[]> => {
  await setPool(testbed.client, testbed.namespace, pool)
  await sleep(3_000)
  const began = performance.now()
  const samples = await Promise.all(Array.from({ length: count }, () => searchOnce(testbed)))
  const took = Math.max(...samples.map(({ started }) => started)) - began
  const cold = await coldOnes(testbed)
  await removeSearches(testbed.client, testbed.namespace)
  return describe(`${count} at once, pool of ${pool}: all started after ${round(took / 1_000, 1)} s`, samples, cold)
}
