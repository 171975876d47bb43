import { isServiceError, serviceError } from '@trellis/kit/errors'
import { handleWithRetries, searchPlanRequests } from '@trellis/kit/workloads'
import type { PlanRequest } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { ListingsConfig } from '../config.ts'
import type { Dependencies } from '../dependencies.ts'
import { planSearch } from '../query/plan.ts'
import { requestOf } from '../query/subject.ts'
import { createSession, findSearch } from '../session/store.ts'
import { announce, failureOf } from './conclusion.ts'
import { encodeOrder, runSeconds, type SearchOrder, searches } from './order.ts'

/** On whose behalf a search is that names nobody. */
const ownUser = 'local'

/** Orders that one replica takes at once: each is two rows and a message. */
const takenAtOnce = 8

/**
 * How long a search may wait for its worker beyond the time it may run, in seconds: the operator, which knows when it began,
 * ends it in time; this ends it where there is no operator any more.
 */
const waitingSeconds = 15 * 60

/** How long one delivery of an order waits for the database and the bus, in milliseconds. */
const longestOutage = 15 * 60_000

/** What an order asks for, planned as a request would be. Throws what is wrong with it. */
const readOrder = ({ search, activeDeadlineSeconds }: PlanRequest, config: ListingsConfig): SearchOrder => {
  if (!search) throw serviceError('invalid', 'The order does not say what to search for.')
  const request = requestOf(search)
  const tier = config.cloudMode ? 'free' : 'local'
  if (planSearch(request, tier, config) === undefined) throw serviceError('invalid', 'The query is blank.')
  return { request, tier, telling: 'stream', object: { activeDeadlineSeconds } }
}

/** Makes the session of a search under the id of its run, and hands it to whoever is free to drive it. */
const startOrdered = async (
  dependencies: Dependencies,
  { runId, user }: PlanRequest,
  order: SearchOrder,
): Promise<void> => {
  const { db, bus, now } = dependencies
  const known = await findSearch(db, runId)
  if (known !== undefined && known.ended_at !== null) return
  if (known === undefined) {
    const seconds = runSeconds(order) + waitingSeconds
    const deadlineAt = new Date(now().getTime() + seconds * 1000)
    await createSession(db, { id: runId, userId: user || ownUser, deadlineAt, orderJson: encodeOrder(order) }, now())
  }
  await bus.enqueue(searches, { sessionId: runId }, runId)
}

const takeOrder = async (dependencies: Dependencies, ordered: PlanRequest, isLastTry: boolean): Promise<void> => {
  let order: SearchOrder | undefined
  try {
    order = readOrder(ordered, dependencies.config)
    await startOrdered(dependencies, ordered, order)
  } catch (error) {
    // What cannot be planned never can be; what could not be stored may be, a little later.
    if (order !== undefined && !(isLastTry && !isServiceError(error, 'unavailable'))) throw error
    dependencies.log.info({ err: error, runId: ordered.runId }, 'a search that was ordered cannot be done')
    await announce(dependencies, ordered.runId, { failure: failureOf(error) })
  }
}

/**
 * Takes the searches that objects ask for until the service ends. From there on they are searches as any, but for one thing:
 * nobody need listen. One that cannot be planned is concluded with what is wrong.
 */
export const servePlanRequests = async (dependencies: Dependencies): Promise<void> => {
  if (!dependencies.runsAreObjects) return
  await dependencies.bus.work(
    searchPlanRequests,
    ({ value, delivery }, handling) =>
      handleWithRetries(() => takeOrder(dependencies, value, delivery >= searchPlanRequests.maxDeliveries), {
        queue: searchPlanRequests,
        handling,
        withinMilliseconds: longestOutage,
        onRetry: (error) =>
          dependencies.log.warn({ err: error, runId: value.runId }, 'a server is away: an order waits'),
      }),
    { concurrency: takenAtOnce, signal: dependencies.signal },
  )
}
