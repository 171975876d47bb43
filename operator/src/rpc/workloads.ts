import type { Bus } from '@trellis/kit/bus'
import { serviceError } from '@trellis/kit/errors'
import type { Handlers } from '@trellis/kit/rpc'
import type { Log } from '@trellis/kit/telemetry'
import { runEvents, runKindOf } from '@trellis/kit/workloads'
import type {
  CapacityResponse,
  RunRequest,
  Workload,
  WorkloadsServiceDefinition,
} from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import {
  failureCondition,
  failureOf,
  isFinished,
  isFromObject,
  isLive,
  podStateOf,
  type Reporter,
  type Reporters,
  type RunObject,
  runIdIndex,
  runIdOf,
  runIdPattern,
  unfinishedIndex,
  type WorkloadRuns,
} from '../runs/mod.ts'
import { type Client, type Clock, isAlreadyExists, isInvalid, isNotFound } from '../runtime/mod.ts'

export type WorkloadsRpcOptions = {
  /** Not the manager's client: every replica responds, also while another leads. */
  client: Client
  bus: Bus
  reporters: Reporters
  /** One for each workload of this installation. */
  runs: readonly WorkloadRuns[]
  /** The machines that runs use, as far as known. */
  machines: { read: () => Pick<CapacityResponse, 'classes' | 'reasons'> }
  /** Namespace of new objects. */
  namespace: string
  /** Maximum number of queued runs of a workload. */
  maxQueued: number
  clock: Clock
  log: Log
  /** Milliseconds that the API server has to respond before the caller gets `unavailable`; 5 s by default. */
  patience?: number
}

/** Maximum lag of the cache behind an object that is known to exist or to have existed, in milliseconds. */
const latest = 5_000
/** Polling interval in milliseconds. */
const pause = 100

const notAnswered = (cause: unknown) =>
  serviceError('unavailable', 'The run could not be started: the API server did not accept it. Try again shortly.', {
    cause,
    retryAfterSeconds: 5,
  })

const isQueued = ({ status }: RunObject): boolean => status.phase !== 'Running'

/** Serves runs as objects of the cluster to the services. Any replica responds; the leader acts. */
export const workloadsRpc = (options: WorkloadsRpcOptions): Handlers<typeof WorkloadsServiceDefinition> => {
  const { client, bus, reporters, runs, machines, namespace, maxQueued, clock, log, patience = 5_000 } = options

  const soon = (signal: AbortSignal) => ({ signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]) })

  const runsOf = (workload: Workload): WorkloadRuns => {
    const found = runs.find((candidate) => candidate.workload === workload)
    if (!found) throw serviceError('unavailable', `This installation runs no workload of kind ${workload}.`)
    return found
  }

  const reporterOf = (workload: Workload): Reporter => reporters[runKindOf(workload)]

  /** Finds a run by its id, of any workload or of one. */
  const find = (runId: string, among = runs): { object: RunObject; of: WorkloadRuns } | undefined =>
    among.flatMap((of) => of.store.by(runIdIndex, runId).map((object) => ({ object, of })))[0]

  const unfinished = ({ store }: WorkloadRuns): RunObject[] => store.by(unfinishedIndex, unfinishedIndex)

  const isPresent = async ({ resource, nameOf }: WorkloadRuns, runId: string, signal: AbortSignal) => {
    try {
      await client.get(resource, { name: nameOf(runId), namespace }, soon(signal))
      return true
    } catch (error) {
      if (isNotFound(error)) return false
      throw notAnswered(error)
    }
  }

  /** Waits for the object that a run was derived from: the service may be ahead of this replica's cache. */
  const untilFound = async (runId: string, of: WorkloadRuns, signal: AbortSignal): Promise<RunObject | undefined> => {
    const end = clock.monotonic() + latest
    for (;;) {
      const found = find(runId, [of])
      if (found || clock.monotonic() >= end) return found?.object
      await clock.sleep(pause, signal)
    }
  }

  /**
   * Reports the end of a run that is requested again, since the caller has not received it. Returns false if the run
   * goes on.
   */
  const reportEnd = async (object: RunObject, runId: string, reporter: Reporter): Promise<boolean> => {
    const failed = failureCondition(object)
    if (isFinished(object)) {
      // The worker reported the results, and the service wrote them: only a second driver of the same run gets here.
      const word = failed
        ? failureOf(failed.reason, failed.message)
        : failureOf('Cancelled', 'The run has ended, and its reports have expired.')
      await reporter.failed(runId, word)
      return true
    }
    // A run about to be suspended may be resumed first, and then goes on.
    if (runIdOf(object) === runId) return false
    await reporter.failed(runId, failureOf('Suspended', 'The run was suspended.'))
    return true
  }

  /** Assigns a child run to the worker of its parent run, which waits for such runs. */
  const runBeside = async ({ runId, input, workload, parentRunId }: RunRequest & { parentRunId: string }) => {
    const reporter = reporterOf(workload)
    const parent = find(parentRunId, [runsOf(workload)])
    const pod = parent?.of.podsOf(parent.object).find((candidate) => isLive(podStateOf(candidate)))
    if (!pod) {
      const detail = 'The worker of its parent run has ended.'
      await reporter.failed(runId, failureOf('WorkerLost', detail))
      return { queued: false }
    }
    await reporter.input(runId, input)
    await reporter.assign(pod.metadata.uid, runId)
    return { queued: false }
  }

  const create = async (request: RunRequest, of: WorkloadRuns, signal: AbortSignal) => {
    const draft = of.draftOf(request)
    if (!draft) throw serviceError('invalid', 'The request does not describe the run: it has no search or generation.')
    try {
      await client.create(of.resource, draft, soon(signal))
    } catch (error) {
      // Another replica created it for the same request.
      if (isAlreadyExists(error)) return
      if (isInvalid(error)) throw serviceError('invalid', error.message, { cause: error })
      throw notAnswered(error)
    }
  }

  const startRun = async (request: RunRequest, signal: AbortSignal) => {
    const { runId } = request
    const of = runsOf(request.workload)
    if (unfinished(of).filter(isQueued).length >= of.total + maxQueued)
      throw serviceError('unavailable', 'Too much work is waiting already. Try again shortly.', {
        retryAfterSeconds: 10,
      })
    // Publish the input before the object: a worker may be faster than this call.
    await reporterOf(request.workload).input(runId, request.input)
    await create(request, of, signal)
    return { queued: true }
  }

  return {
    run: async (request, { signal }) => {
      const { runId, parentRunId } = request
      if (!runIdPattern.test(runId)) throw serviceError('invalid', `"${runId}" cannot be the id of a run.`)
      if (parentRunId) return runBeside({ ...request, parentRunId })
      const of = runsOf(request.workload)
      const reporter = reporterOf(request.workload)
      const object = isFromObject(runId) ? await untilFound(runId, of, signal) : find(runId, [of])?.object
      if (object) {
        if (await reportEnd(object, runId, reporter)) return { queued: false }
        await reporter.input(runId, request.input)
        return { queued: isQueued(object) }
      }
      const isGone = isFromObject(runId) || (request.isKnown && !(await isPresent(of, runId, signal)))
      if (isGone) {
        await reporter.failed(runId, failureOf('Cancelled', 'The object of the run was deleted.'))
        return { queued: false }
      }
      return startRun(request, signal)
    },
    cancel: async ({ runId }) => {
      const found = find(runId)
      if (found && isFinished(found.object)) return {}
      log.debug({ runId }, 'a run was cancelled')
      await bus.enqueue(runEvents, { runId, event: { $case: 'cancelled', value: {} } })
      return {}
    },
    list: async ({ workload }) => ({
      runs: runs
        .filter((of) => workload === 'WORKLOAD_UNSPECIFIED' || of.workload === workload)
        .flatMap((of) =>
          unfinished(of).map((object) => ({
            runId: runIdOf(object),
            workload: of.workload,
            queued: isQueued(object),
            createdAt: object.metadata.creationTimestamp ?? '',
            startedAt: isQueued(object) ? null : (object.status.startTime ?? null),
          })),
        ),
    }),
    capacity: async ({ workload }) => {
      const of = runsOf(workload)
      const all = unfinished(of).filter(({ spec }) => !spec.suspend)
      const queued = all.filter(isQueued).length
      return {
        total: of.total,
        running: all.length - queued,
        queued,
        mode: 'kubernetes',
        observedAt: new Date(clock.now()).toISOString(),
        ...machines.read(),
      }
    },
  }
}
