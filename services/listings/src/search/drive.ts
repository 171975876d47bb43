import { isServiceError, type ServiceError, serviceError, toServiceError } from '@trellis/kit/errors'
import { findComp } from '../comps/store.ts'
import type { Dependencies } from '../dependencies.ts'
import { type EnrichedSearch, enrichFound } from '../enrich/after-search.ts'
import type { SearchOutcome } from '../metrics.ts'
import { analysePhotos } from '../photo-analysis/after-search.ts'
import { planSearch, type SearchPlan } from '../query/plan.ts'
import { subjectOf } from '../query/subject.ts'
import { sendAnswer, sendFailure } from '../results/answer.ts'
import type { Found } from '../results/found.ts'
import { readPublishedUpdates } from '../results/published-updates.ts'
import { createUpdatePublisher, type UpdatePublisher } from '../results/update-publisher.ts'
import { answerFrame } from '../results/wire.ts'
import { marketplaceFor } from '../runs/marketplace.ts'
import { cancelRun, RunError, startRun } from '../runs/marketplace-run.ts'
import { featuresOf } from '../session/features.ts'
import { endSession, findSearch, recordFailure, type SessionRow, storeOwner } from '../session/store.ts'
import { announce, type Findings, failureOf } from './conclusion.ts'
import { gather } from './gather.ts'
import { decodeJob, maxTries, runSeconds, type SearchJob } from './job.ts'
import { createSearchLifetime, type SearchLifetime } from './search-lifetime.ts'

/** A delivery of a search to this replica. */
export type SearchDelivery = {
  /** Ordinal of the delivery, from 1. */
  readonly delivery: number
  /** Whether an earlier attempt of the same delivery met an unavailable server. */
  readonly isAgain?: boolean
  /** Aborted when the search is reassigned to another replica, or this one shuts down; the search is then left unchanged. */
  readonly signal: AbortSignal
}

/** A search that this replica drives. */
type Drive = {
  readonly session: SessionRow
  readonly job: SearchJob
  readonly plan: SearchPlan
  readonly publisher: UpdatePublisher
  readonly lifetime: SearchLifetime
  readonly turn: SearchDelivery
}

/** Why a search did not complete. A deadline or cancellation takes precedence over the error that it caused. */
const whyItEnded = (error: unknown, { lifetime, job }: Drive): ServiceError => {
  if (lifetime.isTimedOut())
    return serviceError('upstream_timeout', `The search exceeded its limit of ${runSeconds(job)} s.`)
  if (lifetime.signal.aborted) return serviceError('conflict', 'The search was cancelled.')
  return toServiceError(error, 'run')
}

const outcomeOf = (failed: ServiceError | undefined, lifetime: SearchLifetime): SearchOutcome => {
  if (lifetime.isTimedOut()) return 'timeout'
  if (lifetime.signal.aborted) return 'cancelled'
  return failed === undefined ? 'done' : 'failed'
}

/** Whether an error is worth another attempt: a server that the service depends on is unavailable. */
const isRetryable = (error: unknown): boolean => isServiceError(error, 'unavailable') && !(error instanceof RunError)

/** Marks an error as permanent, such as a marketplace that is not configured: no later attempt would change it. */
const refused = (error: unknown): never => {
  throw isServiceError(error) ? new RunError(error) : error
}

/** What follows the answer: sellers are looked up and, if the tier has the feature, photos analysed, concurrently. */
const completeFound = async (
  dependencies: Dependencies,
  found: Found,
  { session, job, publisher }: Drive,
  run: Pick<EnrichedSearch, 'user' | 'deadlineSeconds' | 'signal' | 'driven'>,
): Promise<void> => {
  const owner = storeOwner(session)
  const settled = await Promise.allSettled([
    enrichFound(dependencies, found, { ...run, owner, sessionId: session.id, publisher }),
    featuresOf(job.tier).photoAnalysis
      ? analysePhotos(dependencies, found, {
          owner,
          publisher,
          signal: run.signal,
          waits: job.leavesPhotos !== true,
        })
      : undefined,
  ])
  for (const result of settled) if (result.status === 'rejected') throw result.reason
}

/** Runs the search and the seller lookups after it: sends the answer to a waiting call, or updates to followers. Returns the findings. */
const perform = async (dependencies: Dependencies, drive: Drive): Promise<Findings> => {
  const { session, job, plan, publisher, lifetime, turn } = drive
  const { db, bus, config, log, now } = dependencies
  const { id: sessionId, user_id: user } = session
  const owner = storeOwner(session)
  const { compQuery } = plan.terms
  const stored = await findComp(db, config.platform, compQuery, now())
  const run = {
    user,
    deadlineSeconds: runSeconds(job),
    signal: lifetime.signal,
    driven: {
      resumes: turn.delivery > 1 || turn.isAgain === true,
      // Where runs are objects, the conclusion of the search ends its run, with the reason.
      isStopped: () => lifetime.signal.aborted && !turn.signal.aborted && !dependencies.runsAreObjects,
      isAwaited: job.responseMode === 'answer',
    },
  }
  const outputs = await startRun(dependencies, {
    ...run,
    runId: sessionId,
    subject: subjectOf(job.request),
    input: {
      kind: 'search',
      marketplace: await marketplaceFor(plan.adapter, dependencies).catch(refused),
      requests: plan.requests,
      salesQuery: stored === undefined ? compQuery : null,
    },
  })
  const { found, answer } = await gather(dependencies, outputs, {
    sessionId,
    user: owner,
    plan,
    stored,
    publisher: job.responseMode === 'stream' ? publisher : undefined,
    mustStore: job.object !== undefined,
    frame: await answerFrame(dependencies, plan.adapter, sessionId, { userId: user, tier: job.tier }),
  })
  if (job.responseMode === 'answer') await sendAnswer(bus, sessionId, answer)
  // The search was answered without its database, so later findings of the run could not be stored either.
  if (found === undefined && !dependencies.runsAreObjects) await cancelRun(dependencies, sessionId)
  if (found === undefined) return { listingsFound: answer.listings.length, marketPrice: answer.marketPrice ?? null }
  try {
    await completeFound(dependencies, found, drive, run)
  } catch (error) {
    if (isRetryable(error)) throw error
    // The search itself has succeeded: an error here only leaves scores partial, and is logged.
    if (!lifetime.signal.aborted) log.warn({ err: error }, 'listings: seller lookup or photo analysis failed')
  }
  return { listingsFound: found.rows.length, marketPrice: found.context.comp?.medianPrice ?? null }
}

/** Outcome of a search in the terms of its object. */
const outcomeFor = ({ lifetime }: Drive, outcome: Findings | ServiceError) => {
  if (!(outcome instanceof Error)) return outcome
  return {
    failure: failureOf(
      outcome,
      lifetime.isTimedOut() ? 'DeadlineExceeded' : lifetime.signal.aborted ? 'Cancelled' : undefined,
    ),
  }
}

/** Publishes how a search ended, then records it: if this driver dies in between, the next one publishes it again (at least once). */
const conclude = async (dependencies: Dependencies, drive: Drive, outcome: Findings | ServiceError): Promise<void> => {
  const failed = outcome instanceof Error ? outcome : undefined
  const { bus, db, log, metrics, now } = dependencies
  const { session, job, plan, publisher, lifetime } = drive
  if (failed?.kind === 'internal' && !lifetime.signal.aborted)
    log.error({ err: failed.cause ?? failed, runId: session.id }, 'listings: search failed')
  if (failed !== undefined && job.responseMode === 'stream' && !lifetime.signal.aborted) await publisher.failed(failed)
  if (failed !== undefined && job.responseMode === 'answer') await sendFailure(bus, session.id, failed)
  const isRunning = failed !== undefined && !(failed instanceof RunError) && !lifetime.signal.aborted
  if (isRunning && !dependencies.runsAreObjects) await cancelRun(dependencies, session.id)
  metrics.searched(plan.adapter, outcomeOf(failed, lifetime))
  const concluded = outcomeFor(drive, outcome)
  await announce(dependencies, session.id, concluded)
  if ('failure' in concluded) await recordFailure(db, session.id, concluded.failure)
  await publisher.done(lifetime.isTimedOut() ? 'timeout' : null)
  await endSession(db, session.id, now())
}

const driveToEnd = async (dependencies: Dependencies, drive: Drive): Promise<void> => {
  const { lifetime, turn } = drive
  try {
    lifetime.signal.throwIfAborted()
    if (turn.delivery > maxTries)
      throw serviceError('internal', 'The search was interrupted too often.', {
        cause: new Error('The retry limit is reached.'),
      })
    const findings = await perform(dependencies, drive)
    turn.signal.throwIfAborted()
    await conclude(dependencies, drive, findings)
  } catch (error) {
    turn.signal.throwIfAborted()
    if (!lifetime.signal.aborted && isRetryable(error)) throw error
    await conclude(dependencies, drive, whyItEnded(error, drive))
  }
}

/**
 * Drives a search to its end, whichever replica it was requested from. A replica that died may have driven it before: what it
 * stored, counted and published is neither counted nor published again. Throws if another attempt may help.
 */
export const driveSearch = async (
  dependencies: Dependencies,
  sessionId: string,
  turn: SearchDelivery,
): Promise<void> => {
  const { db, bus, config, now } = dependencies
  const session = await findSearch(db, sessionId)
  if (!session || session.order_json === null || session.ended_at !== null) return
  const job = decodeJob(session.order_json)
  const plan = planSearch(job.request, job.tier, config)
  const published = await readPublishedUpdates(bus, sessionId, turn.signal)
  if (published.isDone() || plan === undefined) return endSession(db, sessionId, now())
  const left = Math.max(0, Date.parse(session.deadline_at) - now().getTime())
  const lifetime = createSearchLifetime({ bus, log: dependencies.log, signal: turn.signal }, sessionId, left / 1000, {
    needsFollowers: job.object === undefined,
  })
  try {
    await driveToEnd(dependencies, {
      session,
      job,
      plan,
      publisher: createUpdatePublisher(dependencies, sessionId, published),
      lifetime,
      turn,
    })
  } finally {
    lifetime.release()
  }
}
