import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Search, searches } from '@trellis/operator/crds'
import { type Client, leases } from '@trellis/operator/runtime'
import { runStatus } from '../../../operator/src/runs/mod.ts'
import { round } from '../machine.ts'
import { forEach, makeSearch } from './api.ts'
import { inPercentiles } from './latencies.ts'
import type { OperatorProcess } from './operator-process.ts'
import type { Played } from './played-workers.ts'
import type { ScaleTestbed } from './scale-testbed.ts'
import { readingOf } from './throughput.ts'

const reconciles = { name: 'controller_runtime_reconcile_total', labels: { controller: 'search' } }

/** Creates finished Searches until the namespace has `count` Searches. */
export const addFinished = async (
  { client, namespace }: ScaleTestbed,
  played: Played,
  count: number,
): Promise<void> => {
  const missing = Array.from({ length: Math.max(0, count - played.searches.list().length) }, (_, at) => `ended-${at}`)
  await forEach(missing, 16, async (name) => {
    const search = await makeSearch(client, namespace, name)
    const standing = { phase: 'Complete', reason: 'Finished', message: 'It is done.' } as const
    const status = { sessionId: `obj-${search.metadata.uid}`, ...runStatus(search, standing, Date.now()) }
    await client.patch(searches, search.metadata, { type: 'merge', body: { status } }, { subresource: 'status' })
  })
  while (played.searches.list().length < count) await sleep(50)
}

/** When the pod of a Search appeared, in `performance.now` time. */
const podOf = async (played: Played, { metadata }: Search): Promise<number> => {
  while (played.pods.by('owner', metadata.uid).length === 0) await Promise.race([sleep(5), played.failure])
  return performance.now()
}

/** Starts the operator over the existing objects, with one pending Search among them. */
export const measureRestart = async (
  testbed: ScaleTestbed,
  played: Played,
  onLeader: (operator: OperatorProcess) => void,
): Promise<{ lines: string[]; operator: OperatorProcess }> => {
  const waited = await makeSearch(testbed.client, testbed.namespace, `waited-${randomBytes(4).toString('hex')}`)
  const count = played.searches.list().length
  const operator = await testbed.start()
  onLeader(operator)
  const since = (at: number) => round((at - operator.startedAt) / 1_000, 2)
  const served = podOf(played, waited)
  const ready = await operator.ready
  let first: number | undefined
  let done = 0
  for (let seen = 0; seen < count; ) {
    seen = (await operator.read())?.sum(reconciles.name, reconciles.labels) ?? 0
    done = performance.now()
    if (seen > 0) first ??= done
    await sleep(10)
  }
  const reading = await readingOf(operator)
  const lines = [
    `  start with ${round(count)} Searches: caches filled and calls taken after ${round(ready / 1_000, 2)} s, first reconcile ${since(first ?? done)} s, all reconciled ${since(done)} s, a pod for the pending one ${since(await served)} s`,
    `    ${round(reading.sum('rest_client_requests_total'))} requests until then, ${round(reading.sum('process_resident_memory_bytes') / 1e6)} MB resident`,
  ]
  return { lines, operator }
}

const holderOf = async (client: Client, namespace: string) =>
  (await client.get(leases, { name: 'trellis-operator', namespace })).spec?.holderIdentity

/** Ends the leader while another replica stands by; returns the milliseconds until the next leader and until its first write. */
const replaceLeader = async (
  { client, namespace }: ScaleTestbed,
  { leader, played, signal }: { leader: OperatorProcess; played: Played; signal: NodeJS.Signals },
): Promise<{ lease: number; write: number }> => {
  // The standby has read the lease by then, and a random delay avoids measuring only crashes right after a renewal.
  await sleep(3_000 + Math.random() * 2_000)
  const before = await holderOf(client, namespace)
  const began = performance.now()
  const ending = leader.end(signal)
  const search = await makeSearch(client, namespace, `failover-${randomBytes(4).toString('hex')}`)
  let lease = 0
  const watching = (async () => {
    for (;;) {
      const holder = await holderOf(client, namespace)
      if (holder && holder !== before) break
      await sleep(20)
    }
    lease = performance.now() - began
  })()
  const write = (await podOf(played, search)) - began
  await watching
  await ending
  return { lease, write }
}

/** Ends one leader after the other, gracefully and by SIGKILL. `onLeader` receives each replica that can be called from then on. */
export const measureFailover = async (
  testbed: ScaleTestbed,
  options: { operator: OperatorProcess; played: Played; rounds: number; onLeader: (operator: OperatorProcess) => void },
): Promise<string[]> => {
  const { operator, played, rounds, onLeader } = options
  const lines: string[] = []
  let leader = operator
  for (const [signal, words] of [
    ['SIGTERM', 'terminated'],
    ['SIGKILL', 'killed'],
  ] as const) {
    const leases: number[] = []
    const writes: number[] = []
    for (let at = 0; at < rounds; at += 1) {
      const standby = await testbed.start()
      await standby.ready
      onLeader(standby)
      const { lease, write } = await replaceLeader(testbed, { leader, played, signal })
      leader = standby
      leases.push(lease)
      writes.push(write)
    }
    lines.push(
      `  the leader is ${words} (${signal}), ${rounds} times: another leads after ${inPercentiles(leases)}; a Search made at that moment has its pod after ${inPercentiles(writes)}`,
    )
  }
  return lines
}
