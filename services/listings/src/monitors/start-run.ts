import { randomUUID } from 'node:crypto'
import { isServiceError } from '@trellis/kit/errors'
import { type Tier, tiers } from '@trellis/kit/rpc'
import type { Dependencies } from '../dependencies.ts'
import { planSearch } from '../query/plan.ts'
import { searchRequestOf } from '../saved-searches/filters.ts'
import { monitorLimitOf } from '../saved-searches/monitor-settings.ts'
import type { SavedSearchRow } from '../saved-searches/store.ts'
import { failureOf } from '../search/conclusion.ts'
import { deadlineSeconds, encodeJob, searches } from '../search/job.ts'
import { featuresOf } from '../session/features.ts'
import { createSession, deleteSession } from '../session/store.ts'
import { failedOutcome } from './outcome.ts'
import { abandonRun, claimDue, countEarlierMonitors, recordRefusal } from './store.ts'

/** How long a search may wait for its worker beyond its run time, in seconds: searches of users come first. */
const waitingSeconds = 15 * 60

const tierOf = ({ tier }: SavedSearchRow): Tier => tiers.find((one) => one === tier) ?? 'free'

/** Why a monitor may not run in its user's tier, as a sentence; undefined if it may. */
const refusalOfTier = async ({ db }: Dependencies, row: SavedSearchRow): Promise<string | undefined> => {
  const tier = tierOf(row)
  if (!featuresOf(tier).backgroundMonitoring)
    return `Monitoring needs the paid tier or a higher one; yours is ${tier}. The monitor was switched off.`
  const limit = monitorLimitOf(tier)
  if (!Number.isFinite(limit) || (await countEarlierMonitors(db, row)) < limit) return undefined
  return `Your tier allows ${limit} monitors. This one was switched off.`
}

/** The job of a monitor's search as JSON text, validated as a request. Throws what is wrong with the saved search. */
const encodedJobOf = (row: SavedSearchRow, { config }: Dependencies): string => {
  const request = searchRequestOf(row)
  const tier = tierOf(row)
  planSearch(request, tier, config)
  return encodeJob({
    request,
    tier,
    responseMode: 'stream',
    object: { activeDeadlineSeconds: deadlineSeconds.stream },
    // Photos raise flags, but do not change the score that alerts depend on.
    leavesPhotos: true,
  })
}

/** Queues the search of a run for a driver, if it is not queued or driven already. */
export const queueSearch = async ({ bus }: Dependencies, sessionId: string): Promise<void> => {
  await bus.enqueue(searches, { sessionId }, sessionId)
}

/** Registers and queues the search of a claimed run. If this process dies in between, any replica resumes it or runs it again. */
const startSearch = async (dependencies: Dependencies, row: SavedSearchRow, runId: string, jobJson: string) => {
  const { db, now } = dependencies
  const seconds = deadlineSeconds.stream + waitingSeconds
  const deadlineAt = new Date(now().getTime() + seconds * 1000)
  try {
    await createSession(db, { id: runId, userId: row.user_id, deadlineAt, jobJson }, now())
    await queueSearch(dependencies, runId)
  } catch (error) {
    await deleteSession(db, runId)
    await abandonRun(db, row.id, runId)
    throw error
  }
}

/**
 * Runs a due monitor as an ordinary search of its user, which needs no followers. A saved search that cannot be run is
 * recorded as failed. Throws `unavailable` if the search could not be queued; the monitor is then still due.
 */
export const startRun = async (dependencies: Dependencies, due: SavedSearchRow): Promise<void> => {
  const { db, log, now } = dependencies
  const refusal = await refusalOfTier(dependencies, due)
  if (refusal !== undefined)
    return recordRefusal(db, due.id, { monitor_enabled: 0, next_check_at: null, last_error: refusal })
  let jobJson: string
  try {
    jobJson = encodedJobOf(due, dependencies)
  } catch (error) {
    if (isServiceError(error, 'internal')) throw error
    log.warn({ err: error, savedSearch: due.id }, 'listings: a monitor could not run')
    return recordRefusal(db, due.id, failedOutcome(due, failureOf(error), now()))
  }
  const runId = randomUUID()
  const claimed = await claimDue(db, due.id, runId, now())
  if (claimed !== undefined) await startSearch(dependencies, claimed, runId, jobJson)
}
