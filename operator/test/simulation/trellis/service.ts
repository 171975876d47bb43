import type { Bus } from '@trellis/kit/bus'
import { isServiceError } from '@trellis/kit/errors'
import { generationPlanRequests, type Report, runKindOf, runTopic, searchPlanRequests } from '@trellis/kit/workloads'
import {
  GenerationSubject,
  RunConcluded,
  type RunFailed,
  type RunRequest,
  SearchSubject,
} from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Clock } from '../../../src/runtime/mod.ts'
import type { Simulation } from '../mod.ts'
import { isEnd, never, serviceReports } from './reports.ts'
import type { SimulatedBus } from './simulated-bus.ts'
import type { Calls } from './simulated-rpc.ts'

/** A service and the runs that it has requested from the operator. */
export type Service = {
  /** Requests a run, or requests it again. */
  request: (runId: string) => void
  /** Cancels a run. */
  cancel: (runId: string) => void
  /** The final reports of the runs that it follows; undefined for runs that have not ended. */
  ends: ReadonlyMap<string, Report | undefined>
  /** Whether it has received any report on a run. */
  hasReceived: (runId: string) => boolean
  /** Whether it has received a report on a run and no earlier request is in transit, so that no request can create the run again. */
  knows: (runId: string) => boolean
}

/** Milliseconds without a report after which the service requests a run again, as in the real one: doubled from `first` to `max`. */
const silence = { first: 5_000, max: 30_000 }
/** Milliseconds for which the operator may be unavailable. */
const patience = 60_000
/** Milliseconds after which an unanswered call can no longer be executed. */
const callEnds = 15_000

const searchSubject = SearchSubject.fromPartial({ query: 'lamp', mustIncludeMode: 'all', adapter: 'auto', pages: 1 })

const generationSubject = GenerationSubject.fromPartial({
  chainId: 'chain',
  nodeId: 'node',
  durationSeconds: 10,
  generator: 'auto',
})

const nothingConcluded = RunConcluded.fromPartial({})

/** How each service uses the operator. */
const trades = {
  listings: {
    planRequests: searchPlanRequests,
    request: { workload: 'WORKLOAD_SEARCH', search: searchSubject, generation: null },
    conclusion: { ...nothingConcluded, listingsFound: 7, marketPrice: 30 },
  },
  music: {
    planRequests: generationPlanRequests,
    request: { workload: 'WORKLOAD_GENERATION', search: null, generation: generationSubject },
    conclusion: { ...nothingConcluded, outputKey: 'audio/1', outputSeconds: 10 },
  },
} as const

const unavailable: RunFailed = {
  reason: 'Unavailable',
  detail: 'No operator answered.',
  kind: 'unavailable',
  retryAfterSeconds: 5,
}

const orIdle = async <T>(clock: Clock, value: Promise<T>, milliseconds: number): Promise<T | 'silent'> => {
  const enough = new AbortController()
  const silent = clock.sleep(milliseconds, enough.signal).then(
    () => 'silent' as const,
    () => 'silent' as const,
  )
  try {
    return await Promise.race([value, silent])
  } finally {
    enough.abort()
  }
}

/** The reports on a run, from the first one. */
const reportsOf = (bus: Bus, { workload, runId }: Pick<RunRequest, 'workload' | 'runId'>) =>
  bus.subscribe(runTopic[runKindOf(workload)](runId), { after: 'start', signal: never() })[Symbol.asyncIterator]()

/** Simulates the listings or the music service: answers plan requests, requests and follows runs, and reports their conclusion. */
export const runService = (
  simulation: Simulation,
  { bus, calls, trade }: { bus: SimulatedBus; calls: Calls; trade: keyof typeof trades },
): Service => {
  const { planRequests, request, conclusion } = trades[trade]
  const ends = new Map<string, Report | undefined>()
  const received = new Set<string>()
  /** Until when calls sent without knowledge of a run may be executed, by run id. */
  const unknowing = new Map<string, number>()
  let service: Pick<Service, 'request' | 'cancel'> | undefined

  simulation.spawn(trade, ({ clock }, process) => {
    const connected = bus.connect(process)
    const operator = calls.connect(process)
    const { event } = serviceReports(connected, clock)

    const run = async (runId: string): Promise<void> => {
      const isKnown = received.has(runId)
      if (!isKnown) unknowing.set(runId, clock.monotonic() + callEnds)
      const requested: RunRequest = {
        ...request,
        runId,
        input: new Uint8Array([1]),
        activeDeadlineSeconds: 300,
        user: '',
        parentRunId: null,
        isKnown,
      }
      await operator.run(requested)
    }

    /** Follows a run to its end, and requests it again if no report arrives. */
    const follow = async (runId: string): Promise<Report> => {
      const reports = reportsOf(connected, { ...request, runId })
      let awaySince: number | undefined
      const tryToRun = async (): Promise<RunFailed | undefined> => {
        try {
          await run(runId)
          awaySince = undefined
        } catch (error) {
          awaySince ??= clock.monotonic()
          if (!isServiceError(error, 'unavailable')) return { ...unavailable, detail: String(error), kind: 'internal' }
          if (clock.monotonic() - awaySince > patience) return unavailable
        }
        return undefined
      }
      let value = await tryToRun()
      let wait = silence.first
      for (let next = reports.next(); !value; ) {
        const delivery = await orIdle(clock, next, wait)
        if (delivery === 'silent') {
          value = await tryToRun()
          wait = Math.min(wait * 2, silence.max)
          continue
        }
        next = reports.next()
        const report = delivery.value?.kind === 'event' ? delivery.value.event.report : undefined
        if (!report) continue
        received.add(runId)
        wait = silence.first
        if (isEnd(report)) return report
      }
      return { $case: 'failed', value: value ?? unavailable }
    }

    const conclude = (runId: string, end: Report) => {
      const value = end.$case === 'failed' ? { ...nothingConcluded, failure: end.value } : conclusion
      return event(runId, { $case: 'concluded', value }, `concluded-${runId}`)
    }

    const drive = async (runId: string) => {
      if (ends.has(runId)) return
      ends.set(runId, undefined)
      const end = await follow(runId)
      await conclude(runId, end)
      ends.set(runId, end)
    }

    service = {
      request: (runId) => {
        if (ends.has(runId)) void run(runId).catch(() => undefined)
        else void drive(runId)
      },
      cancel: (runId) => void operator.cancel({ runId }).catch(() => undefined),
    }
    void connected.work(
      planRequests,
      async ({ value: { runId } }) => {
        const end = ends.get(runId)
        if (end) await conclude(runId, end)
        else void drive(runId)
      },
      { concurrency: 8, signal: never() },
    )
  })
  if (!service) throw new Error('The service did not start.')
  return {
    ...service,
    ends,
    hasReceived: (runId) => received.has(runId),
    knows: (runId) => received.has(runId) && (unknowing.get(runId) ?? 0) < simulation.clock.monotonic(),
  }
}
