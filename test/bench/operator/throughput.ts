import { setTimeout as sleep } from 'node:timers/promises'
import { controllerOf } from '@trellis/operator/runtime'
import { isFinished } from '../../../operator/src/runs/mod.ts'
import { median, round, samplePace } from '../machine.ts'
import { forEach, makeSearch } from './api.ts'
import { openLoop } from './arrivals.ts'
import { inPercentiles } from './latencies.ts'
import type { OperatorProcess, Reading } from './operator-process.ts'
import { type Played, playedMilliseconds } from './played-workers.ts'
import type { ScaleTestbed } from './scale-testbed.ts'

/** Concurrent creations. */
const creators = 16

const methods = ['POST', 'PATCH', 'DELETE', 'GET', 'PUT'] as const
const requests = 'rest_client_requests_total'

/** The metrics of a replica; throws if it does not answer. */
export const readingOf = async (operator: OperatorProcess): Promise<Reading> => {
  const reading = await operator.read()
  if (!reading) throw new Error('The operator does not answer at its metrics port.')
  return reading
}

/** The goals are for a machine that takes this many milliseconds for 10 MB of JSON. */
const goalPace = 45

/**
 * Samples the resident memory of the operator and the pace every second; the returned function stops it and returns the maximum in bytes and
 * the median in milliseconds. A sample of the pace occupies this process, and with it the simulated workers, for a quarter of the pace.
 */
const watchMachine = (operator: OperatorProcess) => {
  const stop = new AbortController()
  let bytes = 0
  const paces: number[] = []
  const watching = (async () => {
    while (!stop.signal.aborted) {
      bytes = Math.max(bytes, await operator.residentBytes())
      paces.push(samplePace())
      await sleep(1_000)
    }
  })()
  return async () => {
    stop.abort()
    await watching
    return { bytes, pace: median(paces) }
  }
}

/** Records when each Search, by uid, first reached each step, in `performance.now` time. */
const watchProgress = ({ searches, pods }: Played) => {
  const steps = { made: new Map(), podMade: new Map(), running: new Map(), ended: new Map() } as const satisfies Record<
    string,
    Map<string, number>
  >
  const note = (times: Map<string, number>, uid: string | undefined) => {
    if (uid !== undefined && !times.has(uid)) times.set(uid, performance.now())
  }
  const unsubscribers = [
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
      for (const unsubscribe of unsubscribers) unsubscribe()
    },
    lines: () => [
      `    from the Search to its pod (the operator): ${between(steps.made, steps.podMade)}`,
      `    until the pod runs (scheduler and kwok): ${between(steps.podMade, steps.running)}`,
      `    until the Search is Complete (${playedMilliseconds} ms are simulated work): ${between(steps.running, steps.ended)}`,
    ],
  }
}

export type Throughput = {
  operator: OperatorProcess
  played: Played
  count: number
  /** By default as fast as the API server takes them. */
  perSecond?: number
}

/** Creates `count` Searches and waits until all have ended. */
export const measureThroughput = async (
  { client, namespace }: ScaleTestbed,
  { operator, played, count, perSecond }: Throughput,
): Promise<string[]> => {
  const earlier = new Set(played.searches.list().map(({ metadata }) => metadata.uid))
  const ours = () => played.searches.list().filter(({ metadata }) => !earlier.has(metadata.uid))
  const before = await readingOf(operator)
  const machine = watchMachine(operator)
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
  const { bytes, pace } = await machine()
  const after = await readingOf(operator)
  const complete = ours().filter(({ status }) => status.phase === 'Complete').length
  const grown = (name: string, labels?: Record<string, string>) => after.sum(name, labels) - before.sum(name, labels)
  const megabytes = (bytes: number) => round(bytes / 1e6)
  const each = (value: number, digits = 2) => round(value / count, digits)
  const events = grown('events_recorded_total', { result: 'created' })
  const posted = grown(requests, { method: 'POST' })
  const renewals = grown(requests, { method: 'PUT' })
  const all = methods.reduce((sum, method) => sum + grown(requests, { method }), 0) - renewals
  const seconds = took / 1_000
  const processor = grown('process_cpu_seconds_total') * 1_000
  return [
    `  ${complete} of ${count} Searches to Complete: ${round(count / seconds)} a second (created within ${round(created / 1_000)} s, ${round(count / (created / 1_000))} a second)`,
    ...progress.lines(),
    `    requests a Search: ${each(all)}: POST pods ${each(posted - events)}, POST events ${each(events)}, PATCH (status) ${each(grown(requests, { method: 'PATCH' }))}, GET ${each(grown(requests, { method: 'GET' }))}, DELETE ${each(grown(requests, { method: 'DELETE' }))}; beside them ${renewals} renewals of the lease`,
    `    processor a Search: ${each(processor, 1)} ms of the operator at a pace of ${round(pace)} ms, ${each((processor * goalPace) / pace, 1)} ms at one of ${goalPace}; reconciles a Search ${each(grown('controller_runtime_reconcile_total', { controller: 'search' }), 1)}`,
    `    resident memory of the operator: ${megabytes(before.sum('process_resident_memory_bytes'))} MB before, ${megabytes(bytes)} MB at most; its heap afterwards: ${megabytes(after.sum('nodejs_heap_size_used_bytes'))} MB`,
  ]
}
