import { connect, type NodeConnectionOptions } from '@nats-io/transport-node'
import { natsNames } from '@trellis/kit/bus'
import { RunInput, RunReport, WorkerAssignment } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'

/** The messages on the way of a run to its worker, in expected order. */
export const steps = ['planned', 'assigned', 'started'] as const
export type Step = (typeof steps)[number]

export type BusTap = AsyncDisposable & {
  /** When the first message of a step of a run arrived, in milliseconds of `performance.now`. */
  received: (runId: string, step: Step) => number | undefined
  /** Resolves when the worker of a run reports that it has started; rejects with the signal's reason. */
  started: (runId: string, signal: AbortSignal) => Promise<number>
}

/** Listens to messages on the bus as an extra subscriber with the rights of a search worker: it acknowledges, stores and delays nothing. */
export const tapBus = async (
  options: NodeConnectionOptions,
  { prefix = 'trellis', onWorked }: { prefix?: string; onWorked?: (runId: string) => void } = {},
): Promise<BusTap> => {
  const connection = await connect(options)
  const times = new Map<string, number>()
  const waiting = new Map<string, (at: number) => void>()
  const note = (runId: string, step: Step) => {
    const key = `${runId} ${step}`
    if (times.has(key)) return
    const now = performance.now()
    times.set(key, now)
    if (step === 'started') waiting.get(runId)?.(now)
  }
  const names = natsNames(prefix)
  const listen = (topics: string, read: (bytes: Uint8Array) => void) =>
    connection.subscribe(names.topicSubjects(topics), {
      callback: (error, { data }) => {
        if (error !== null) throw error
        if (data.length > 0) read(data)
      },
    })
  listen('workloads.inputs.search', (bytes) => note(RunInput.decode(bytes).runId, 'planned'))
  listen('workloads.assignments.search', (bytes) => note(WorkerAssignment.decode(bytes).runId, 'assigned'))
  listen('workloads.runs.search', (bytes) => {
    const { runId, report } = RunReport.decode(bytes)
    if (report?.$case === 'started') note(runId, 'started')
    if (report?.$case === 'completed') onWorked?.(runId)
  })
  await connection.flush()
  const received = (runId: string, step: Step) => times.get(`${runId} ${step}`)
  return {
    received,
    started: (runId, signal) => {
      const at = received(runId, 'started')
      if (at !== undefined) return Promise.resolve(at)
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      const onAbort = () => reject(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      waiting.set(runId, resolve)
      return promise.finally(() => {
        waiting.delete(runId)
        signal.removeEventListener('abort', onAbort)
      })
    },
    [Symbol.asyncDispose]: () => connection.drain(),
  }
}
