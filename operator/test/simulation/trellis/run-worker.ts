import type { Bus } from '@trellis/kit/bus'
import { assignmentsOf, inputsOf, type Report, type RunKind, runKinds, runTopic } from '@trellis/kit/workloads'
import { reportedExitCode } from '../../../src/runs/mod.ts'
import type { KubeObject } from '../../../src/runtime/mod.ts'
import { componentOf, label } from '../../../src/workers/mod.ts'
import type { Simulation } from '../mod.ts'
import { isEnd, never, workerReports } from './reports.ts'
import type { SimulatedBus } from './simulated-bus.ts'
import type { WorkerProgram } from './simulated-nodes.ts'
import type { WorkLog } from './work-log.ts'

/** Milliseconds for which a worker stays after its run. */
const linger = 20_000

/** The fraction of runs that workers report as failed. */
const hopeless = 0.05

/** The number of parts of a run; a progress report follows each but the last. */
const parts = 3

const failed = { reason: 'Refused', detail: 'No details.', kind: 'upstream_failed', retryAfterSeconds: null }

/** Exit codes of a worker by how its run ended. `stopped`: the run was taken from this worker. */
const codes = { completed: 0, failed: reportedExitCode, stopped: 143 } as const
type RunEnd = keyof typeof codes

/** The run kind of a worker pod, from its component label. */
const kindOf = ({ labels }: KubeObject['metadata']): RunKind => {
  const kind = runKinds.find((one) => componentOf(one) === labels?.[label.component])
  if (!kind) throw new Error('The pod is not of a worker.')
  return kind
}

const readInput = async (bus: Bus, kind: RunKind, runId: string): Promise<void> => {
  for await (const input of bus.subscribe(inputsOf[kind](runId), { after: 'start', signal: never() }))
    if (input.kind === 'event') return
}

type Watched = { kind: RunKind; own: number; worker: string }

/**
 * Reads the reports on a run. `before` resolves to the report that ended it before the sequence `own`, if any. `taken` resolves when
 * another process ends or starts the run after that.
 */
const watchRun = (bus: Bus, runId: string, { kind, own, worker }: Watched) => {
  const before = Promise.withResolvers<Report | undefined>()
  const taken = Promise.withResolvers<RunEnd>()
  const look = (report: Report | null | undefined, sequence: number) => {
    if (sequence === own) before.resolve(undefined)
    if (!report) return
    if (sequence < own && isEnd(report)) before.resolve(report)
    if (sequence <= own) return
    if (isEnd(report)) taken.resolve(report.$case as RunEnd)
    if (report.$case === 'started' && report.value.worker !== worker) taken.resolve('stopped')
  }
  void (async () => {
    for await (const delivery of bus.subscribe(runTopic[kind](runId), { after: 'start', signal: never() }))
      if (delivery.kind === 'event') look(delivery.event.report, delivery.sequence)
  })()
  return { before: before.promise, taken: taken.promise }
}

/** Simulates the real worker: receives its run on the topic of its pod's uid, reads the input, reports, lingers and exits. */
export const runWorker =
  (simulation: Simulation, bus: SimulatedBus, log: WorkLog): WorkerProgram =>
  ({ metadata }, process, exit) => {
    const { clock } = process
    const connected = bus.connect(process)
    const kind = kindOf(metadata)
    const { event, report } = workerReports(connected, clock, kind)
    const worker = metadata.name

    const work = async (runId: string): Promise<RunEnd> => {
      const each = simulation.random.between(100, 20_000) / parts
      for (let part = 1; part <= parts; part += 1) {
        await clock.sleep(each)
        if (part < parts) void event(runId, { $case: 'progress', value: { fraction: part / parts, detail: 'Some.' } })
      }
      return simulation.random.chance(hopeless) ? 'failed' : 'completed'
    }

    const conclude = async (runId: string, end: RunEnd): Promise<void> => {
      const value = { result: new Uint8Array() }
      await report(runId, end === 'failed' ? { $case: 'failed', value: failed } : { $case: 'completed', value })
      await event(runId, end === 'failed' ? { $case: 'failed', value: failed } : { $case: 'worked', value: {} })
    }

    const doRun = async (runId: string): Promise<RunEnd> => {
      await readInput(connected, kind, runId)
      const started = { $case: 'started', value: { worker, warm: true } } as const
      const own = await report(runId, started)
      const { before, taken } = watchRun(connected, runId, { kind, own, worker })
      const ended = await before
      if (ended) {
        await event(runId, ended.$case === 'failed' ? ended : { $case: 'worked', value: {} })
        return ended.$case as RunEnd
      }
      log.began(runId, process)
      void event(runId, started)
      const lost = taken.then((end) => ({ end, isOurs: false }))
      const { end, isOurs } = await Promise.race([lost, work(runId).then((own) => ({ end: own, isOurs: true }))])
      log.ended(runId, process)
      if (isOurs) await conclude(runId, end)
      return end
    }

    const serve = async () => {
      const done = new Set<string>()
      const assignments = connected.subscribe(assignmentsOf[kind](metadata.uid), { after: 'start', signal: never() })
      for await (const assigned of assignments) {
        if (assigned.kind !== 'event' || done.has(assigned.event.runId)) continue
        if (assigned.event.ends) return exit({ code: 0 })
        done.add(assigned.event.runId)
        const end = await doRun(assigned.event.runId)
        if (end !== 'completed') return exit({ code: codes[end] })
        clock.after(linger, () => exit({ code: 0 }))
      }
    }
    void serve()
  }
