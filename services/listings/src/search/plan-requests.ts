import { isServiceError, serviceError } from '@trellis/kit/errors'
import { handleWithRetries, searchPlanRequests } from '@trellis/kit/workloads'
import type { PlanRequest } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { ListingsConfig } from '../config.ts'
import type { Dependencies } from '../dependencies.ts'
import { planSearch } from '../query/plan.ts'
import { requestOf } from '../query/subject.ts'
import { createSession, findSearch } from '../session/store.ts'
import { announce, failureOf } from './conclusion.ts'
import { encodeJob, runSeconds, type SearchJob, searches } from './job.ts'

/** User of a search that names none. */
const ownUser = 'local'

/** Plan requests that one replica handles concurrently: each is two rows and a message. */
const takenAtOnce = 8

/**
 * How long a search may wait for its worker beyond its run time, in seconds. The operator, which knows when it began, normally
 * ends it; this limit applies if there is no operator any more.
 */
const waitingSeconds = 15 * 60

/** Time limit for one delivery of a plan request to wait for the database and the bus, in milliseconds. */
const longestOutage = 15 * 60_000

/** Converts a plan request to the job of its search, validated like a request. Throws what is wrong with it. */
const jobOf = ({ search, activeDeadlineSeconds }: PlanRequest, config: ListingsConfig): SearchJob => {
  if (!search) throw serviceError('invalid', 'The plan request has no search.')
  const request = requestOf(search)
  const tier = config.cloudMode ? 'free' : 'local'
  if (planSearch(request, tier, config) === undefined) throw serviceError('invalid', 'The query is blank.')
  return { request, tier, responseMode: 'stream', object: { activeDeadlineSeconds } }
}

/** Creates the session of a search under the id of its run, and queues it for a driver. */
const startSearch = async (dependencies: Dependencies, { runId, user }: PlanRequest, job: SearchJob): Promise<void> => {
  const { db, bus, now } = dependencies
  const known = await findSearch(db, runId)
  if (known !== undefined && known.ended_at !== null) return
  if (known === undefined) {
    const seconds = runSeconds(job) + waitingSeconds
    const deadlineAt = new Date(now().getTime() + seconds * 1000)
    await createSession(db, { id: runId, userId: user || ownUser, deadlineAt, jobJson: encodeJob(job) }, now())
  }
  await bus.enqueue(searches, { sessionId: runId }, runId)
}

const handlePlanRequest = async (
  dependencies: Dependencies,
  planRequest: PlanRequest,
  isLastTry: boolean,
): Promise<void> => {
  let job: SearchJob | undefined
  try {
    job = jobOf(planRequest, dependencies.config)
    await startSearch(dependencies, planRequest, job)
  } catch (error) {
    // An invalid request is permanent; a failure to store it may be temporary.
    if (job !== undefined && !(isLastTry && !isServiceError(error, 'unavailable'))) throw error
    dependencies.log.info({ err: error, runId: planRequest.runId }, 'listings: plan request rejected')
    await announce(dependencies, planRequest.runId, { failure: failureOf(error) })
  }
}

/**
 * Serves the operator's plan requests until the service shuts down. They become ordinary searches, except that they need no
 * followers. A request that cannot be planned is concluded with the reason.
 */
export const servePlanRequests = async (dependencies: Dependencies): Promise<void> => {
  if (!dependencies.runsAreObjects) return
  await dependencies.bus.work(
    searchPlanRequests,
    ({ value, delivery }, handling) =>
      handleWithRetries(() => handlePlanRequest(dependencies, value, delivery >= searchPlanRequests.maxDeliveries), {
        queue: searchPlanRequests,
        handling,
        withinMilliseconds: longestOutage,
        onRetry: (error) =>
          dependencies.log.warn(
            { err: error, runId: value.runId },
            'listings: server unavailable, retrying plan request',
          ),
      }),
    { concurrency: takenAtOnce, signal: dependencies.signal },
  )
}
