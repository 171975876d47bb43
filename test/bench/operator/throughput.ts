import { setTimeout as sleep } from 'node:timers/promises'
import { controllerOf } from '@trellis/operator/runtime'
import { isFinished } from '../../../operator/src/runs/mod.ts'
import { round } from '../machine.ts'
import { forEach, makeSearch } from './api.ts'
import { openLoop } from './arrivals.ts'
import { inPercentiles } from './latencies.ts'
import type { OperatorProcess, Reading } from './operator-process.ts'
import { type Played, playedMilliseconds } from './played-workers.ts'
import type { ScaleTestbed } from './scale-testbed.ts'

/** Creations that are under way at once. */
const creators = 16

const methods = ['POST', 'PATCH', 'DELETE', 'GET', 'PUT'] as const
const requests = 'rest_client_requests_total'

/** The reading of a replica that answers. */
export const readingOf = async (operator: OperatorProcess): Promise<Reading> => {
  const reading = await operator.read()
  if (!reading) throw new Error('The operator does not answer for its metrics.')
  return reading
}

/** The most memory that a process is seen to have, in bytes, until it is stopped. */
const watchMemory = (operator: OperatorProcess) => {
  const stop = new AbortController()
  let max = 0
  const watching = (async () => {
    while (!stop.signal.aborted) {
      max = Math.max(max, (await operator.read())?.sum('process_resident_memory_bytes') ?? 0)
      await sleep(1_000)
    }
  })()
  return async () => {
    stop.abort()
    await watching
    return max
  }
}

/** When a Search, by its uid, was first seen to have come so far, of `performance.now`. */
const watchProgress = ({ searches, pods }: Played) => {
  const steps = { made: new Map(), podMade: new Map(), running: new Map(), ended: new Map() } as const satisfies Record<
    string,
    Map<string, number>
  >
  const note = (times: Map<string, number>, uid: string | undefined) => {
    if (uid !== undefined && !times.has(uid)) times.set(uid, performance.now())
  }
  const forget = [
    searches.onChange(({ object }) => {
      note(steps.made, object.metadata.uid)
      if (isFinished(object)) note(steps.ended, object.metadata.uid)
    }),
    pods.onChange(({ object }) => {
      const owner = controllerOf(object)?.uid
      note(steps.podMade, owner)
      if (object.status?.phase === 'Running') note(steps.running, owner)
    }),
  ]
  const between = (from: Map<string, number>, to: Map<string, number>) =>
    inPercentiles([...to].flatMap(([uid, at]) => (from.has(uid) ? [at - (from.get(uid) ?? 0)] : [])))
  return {
    stop: () => {
      for (const stop of forget) stop()
    },
    lines: () => [
      `    from the Search to its pod (the operator): ${between(steps.made, steps.podMade)}`,
      `    until the pod runs (scheduler and kwok): ${between(steps.podMade, steps.running)}`,
      `    until the Search is Complete (${playedMilliseconds} ms are played): ${between(steps.running, steps.ended)}`,
    ],
  }
}

export type Throughput = {
  operator: OperatorProcess
  played: Played
  count: number
  /** As fast as the API server takes them unless told. */
  perSecond?: number
}

/** Makes so many Searches, and waits until each has ended. */
export const measureThroughput = async (
  { client, namespace }: ScaleTestbed,
  { operator, played, count, perSecond }: Throughput,
): Promise<string[]> => {
  const earlier = new Set(played.searches.list().map(({ metadata }) => metadata.uid))
  const ours = () => played.searches.list().filter(({ metadata }) => !earlier.has(metadata.uid))
  const before = await readingOf(operator)
  const memory = watchMemory(operator)
  const progress = watchProgress(played)
  const began = performance.now()
  const names = Array.from({ length: count }, (_, at) => `search-${earlier.size + at}`)
  const make = (name: string) => makeSearch(client, namespace, name)
  if (perSecond === undefined) await forEach(names, creators, make)
  else await openLoop({ count, perSecond }, (at) => make(names[at] ?? ''))
  const created = performance.now() - began
  while (ours().filter(isFinished).length < count) await Promise.race([sleep(20), played.failure])
  const took = performance.now() - began
  progress.stop()
  const bytes = await memory()
  const after = await readingOf(operator)
  const complete = ours().filter(({ status }) => status.phase === 'Complete').length
  const grown = (name: string, labels?: Record<string, string>) => after.sum(name, labels) - before.sum(name, labels)
  const each = (value: number, digits = 2) => round(value / count, digits)
  const events = grown('events_recorded_total', { result: 'created' })
  const posted = grown(requests, { method: 'POST' })
  const renewals = grown(requests, { method: 'PUT' })
  const all = methods.reduce((sum, method) => sum + grown(requests, { method }), 0) - renewals
  const seconds = took / 1_000
  return [
    `  ${complete} of ${count} Searches to Complete: ${round(count / seconds)} a second (created within ${round(created / 1_000)} s, ${round(count / (created / 1_000))} a second)`,
    ...progress.lines(),
    `    requests a Search: ${each(all)}: POST pods ${each(posted - events)}, POST events ${each(events)}, PATCH (status) ${each(grown(requests, { method: 'PATCH' }))}, GET ${each(grown(requests, { method: 'GET' }))}, DELETE ${each(grown(requests, { method: 'DELETE' }))}; beside them ${renewals} renewals of the lease`,
    `    processor a Search: ${each(grown('process_cpu_seconds_total') * 1_000, 1)} ms of the operator; reconciles a Search ${each(grown('controller_runtime_reconcile_total', { controller: 'search' }), 1)}`,
    `    resident memory of the operator: ${round(bytes / 1e6)} MB at most`,
  ]
}
