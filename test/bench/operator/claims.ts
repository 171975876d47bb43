import { setTimeout as sleep } from 'node:timers/promises'
import { searches } from '@trellis/operator/crds'
import type { Client } from '@trellis/operator/runtime'
import { isFinished } from '../../../operator/src/runs/mod.ts'
import { round } from '../machine.ts'
import { fullPool, listAll, makeSearch, removeSearches, setPool, until } from './api.ts'
import { openLoop } from './arrivals.ts'
import { type BusTap, type Step, steps } from './bus-tap.ts'
import { inPercentiles, percentile } from './latencies.ts'

/** Where Searches are made, and where it is heard what comes of them. */
export type ClaimTestbed = { client: Client; namespace: string; tap: BusTap }

/** One Search: when it was sent off and when the API server had it, and what was heard of it since. In milliseconds. */
type Sample = {
  name: string
  sent: number
  created: number
  started: number
  received: (step: Step) => number | undefined
}

/** Seconds after which a worker that has not started is given up, and the bench with it. */
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

/** How long each step took, counted from when the Search was sent off, as medians. */
const onTheWay = (samples: readonly Sample[]): string => {
  const median = (what: string, times: readonly number[]) => `${what} ${round(percentile(times, 0.5))}`
  const parts = steps
    .filter((step) => step !== 'started')
    .map((step) => {
      const times = samples.flatMap(({ sent, received }) => {
        const at = received(step)
        return at === undefined ? [] : [at - sent]
      })
      return median(step, times)
    })
  const created = samples.map((sample) => sample.created - sample.sent)
  return [median('created', created), ...parts].join(', ')
}

/** Waits until all have ended; gives the names of those that no waiting worker took. */
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
          `      of that, since it was sent, at the median, in ms: ${onTheWay(warm)}`,
        ]
      : []),
    ...(missed.length > 0 ? [`    ${missed.length} cold: ${inPercentiles(sinceSent(missed))}`] : []),
  ]
}

export type WarmLoad = {
  perSecond: number
  /** Searches one after the other, before the pool is let fill up again. */
  count: number
  rounds: number
  pool: number
}

/** From Search to started worker while Searches keep coming, with a pool of real pods. */
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
    // The last ones of the pool have only just started.
    await sleep(3_000)
    samples.push(...(await openLoop({ count, perSecond }, () => searchOnce(testbed))))
    for (const name of await coldOnes(testbed)) cold.add(name)
    await removeSearches(client, namespace)
  }
  const often = rounds === 1 ? '' : `, ${rounds} times, with the pool full at first`
  return describe(`${perSecond} a second, ${count} Searches${often}, pool of ${pool}`, samples, cold)
}

/** Without a pool: a pod is made, scheduled and started for each Search, one after the other. */
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

/** Many Searches at once, more than wait for them. */
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
