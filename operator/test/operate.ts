import type { Bus } from '@trellis/kit/bus'
import { createMetrics, type Log } from '@trellis/kit/telemetry'
import { createOperator, type OperatorKind, type OperatorSettings } from '../src/operator.ts'
import { type Client, type Clock, createRuntimeMetrics, type RuntimeMetrics } from '../src/runtime/mod.ts'
import type { WorkerTemplate } from '../src/workers/mod.ts'

const template: WorkerTemplate = { image: 'example.test/worker:1', command: ['worker'] }

export type OperateOptions = {
  client: Client
  bus: Bus
  log: Log
  /** The only namespace that it watches, and that of new objects. */
  namespace: string
  clock?: Clock
  /** Milliseconds that running reconciles have to finish at its stop; 5 s by default. */
  drain?: number
} & Partial<Omit<OperatorSettings, 'namespace'>>

/** Runs an operator with some kinds for a namespace of a real API server, composed as in production but without election. */
export const operate = (
  { client, bus, log, namespace, clock, drain = 5_000, ...settings }: OperateOptions,
  kinds: readonly OperatorKind[],
) => {
  const metrics = createMetrics({ processMetrics: false })
  const runtimeMetrics: RuntimeMetrics = createRuntimeMetrics(metrics)
  const { manager, workloads, attend } = createOperator(
    {
      client,
      bus,
      log,
      metrics,
      runtimeMetrics,
      namespaces: [namespace],
      drain,
      freeze: true,
      ...(clock && { clock }),
    },
    {
      instance: 'test',
      namespace,
      templates: { search: template, generation: template },
      maxRuns: 10,
      maxQueued: 10,
      runTtlSeconds: 3_600,
      ...settings,
    },
    kinds,
  )
  const stop = new AbortController()
  const running = manager.run(stop.signal)
  const attending = attend(stop.signal)
  return {
    metrics,
    workloads,
    filled: manager.filled,
    /** Stops it and flushes its events to the API server. */
    stop: async () => {
      stop.abort()
      await running
      await attending
      await manager.recorder.flush()
    },
  }
}

/** Returns a kind together with a way to get what it added to the operator that was started last. */
export const remember = <Surroundings, Added>(kind: (surroundings: Surroundings) => Added) => {
  let last: Added | undefined
  return {
    kind: (surroundings: Surroundings): Added => {
      last = kind(surroundings)
      return last
    },
    added: (): Added => {
      if (last === undefined) throw new Error('No operator with this kind was started.')
      return last
    },
  }
}
