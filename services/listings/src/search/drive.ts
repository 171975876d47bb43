import { isServiceError, type ServiceError, serviceError, toServiceError } from '@trellis/kit/errors'
import { findComp } from '../comps/store.ts'
import type { Dependencies } from '../dependencies.ts'
import { enrichFound } from '../enrich/after-search.ts'
import type { SearchOutcome } from '../measures.ts'
import { planSearch, type SearchPlan } from '../query/plan.ts'
import { subjectOf } from '../query/subject.ts'
import { sendAnswer, sendFailure } from '../results/answer.ts'
import { readPublishedUpdates } from '../results/published-updates.ts'
import { createUpdatePublisher, type UpdatePublisher } from '../results/update-publisher.ts'
import { answerFrame } from '../results/wire.ts'
import { marketplaceFor } from '../runs/marketplace.ts'
import { cancelRun, RunError, startRun } from '../runs/marketplace-run.ts'
import { endSession, findSearch, type SessionRow, storeOwner } from '../session/store.ts'
import { announce, type Findings, failureOf } from './conclusion.ts'
import { gather } from './gather.ts'
import { decodeOrder, maxTries, runSeconds, type SearchOrder } from './order.ts'
import { createSearchLifetime, type SearchLifetime } from './search-lifetime.ts'

/** How a search came to this replica. */
export type SearchDelivery = {
  /** Which delivery this is, from 1. */
  readonly delivery: number
  /** Whether an earlier attempt of the same delivery met a server that was away. */
  readonly isAgain?: boolean
  /** Aborted when another replica has been given the search, or will be since this one ends: it is then left as it is. */
  readonly signal: AbortSignal
}

/** A search under way on this replica. */
type Drive = {
  readonly session: SessionRow
  readonly order: SearchOrder
  readonly plan: SearchPlan
  readonly publisher: UpdatePublisher
  readonly lifetime: SearchLifetime
  readonly turn: SearchDelivery
}

/** What a search that did not get to its end failed with: its leash's word goes before what that made fail. */
const whyItEnded = (error: unknown, { lifetime, order }: Drive): ServiceError => {
  if (lifetime.isTimedOut())
    return serviceError('upstream_timeout', `The search took longer than the ${runSeconds(order)} s it may.`)
  if (lifetime.signal.aborted) return serviceError('conflict', 'The search was cancelled.')
  return toServiceError(error)
}

const outcomeOf = (failed: ServiceError | undefined, lifetime: SearchLifetime): SearchOutcome => {
  if (lifetime.isTimedOut()) return 'timeout'
  if (lifetime.signal.aborted) return 'cancelled'
  return failed === undefined ? 'done' : 'failed'
}

/** Whether a failure is worth another attempt: a server that the service depends on is away. */
const isRetryable = (error: unknown): boolean => isServiceError(error, 'unavailable') && !(error instanceof RunError)

/** Rethrows what no later attempt would change: a marketplace that is not configured. */
const refused = (error: unknown): never => {
  throw isServiceError(error) ? new RunError(error) : error
}

/** Runs the search and what follows it: the answer goes to whoever waits for it, the rest to its followers. Gives what it came to. */
const perform = async (
  dependencies: Dependencies,
  { session, order, plan, publisher, lifetime, turn }: Drive,
): Promise<Findings> => {
  const { db, bus, config, log, now } = dependencies
  const { id: sessionId, user_id: user } = session
  const owner = storeOwner(session)
  const { compQuery } = plan.terms
  const stored = await findComp(db, config.platform, compQuery, now())
  const run = {
    user,
    deadlineSeconds: runSeconds(order),
    signal: lifetime.signal,
    driven: {
      resumes: turn.delivery > 1 || turn.isAgain === true,
      // Where runs are objects, the conclusion of the search ends its run, with the reason.
      isStopped: () => lifetime.signal.aborted && !turn.signal.aborted && !dependencies.runsAreObjects,
      isAwaited: order.telling === 'answer',
    },
  }
  const outputs = await startRun(dependencies, {
    ...run,
    runId: sessionId,
    subject: subjectOf(order.request),
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
    publisher: order.telling === 'stream' ? publisher : undefined,
    frame: answerFrame(dependencies, plan.adapter, sessionId),
  })
  if (order.telling === 'answer') await sendAnswer(bus, sessionId, answer)
  // Answered without its database: what the run would find from here on could not be stored either.
  if (found === undefined && !dependencies.runsAreObjects) await cancelRun(dependencies, sessionId)
  if (found === undefined) return { listingsFound: answer.listings.length, marketPrice: answer.marketPrice ?? null }
  try {
    await enrichFound(dependencies, found, { ...run, owner, sessionId, publisher })
  } catch (error) {
    if (isRetryable(error)) throw error
    // The search itself has succeeded: what fails now leaves scores partial, and the log says why.
    if (!lifetime.signal.aborted) log.warn({ err: error }, 'sellers could not be looked up')
  }
  return { listingsFound: found.rows.length, marketPrice: found.context.comp?.medianPrice ?? null }
}

/** What a search came to, in the words that its object is to have. */
const outcomeFor = ({ lifetime }: Drive, outcome: Findings | ServiceError) => {
  if (!(outcome instanceof Error)) return outcome
  return {
    failure: failureOf(
      outcome,
      lifetime.isTimedOut() ? 'DeadlineExceeded' : lifetime.signal.aborted ? 'Cancelled' : undefined,
    ),
  }
}

/** Tells how a search ended. What is told first and written down last is told again by the next driver, if this one dies between. */
const conclude = async (dependencies: Dependencies, drive: Drive, outcome: Findings | ServiceError): Promise<void> => {
  const failed = outcome instanceof Error ? outcome : undefined
  const { bus, db, log, measures, now } = dependencies
  const { session, order, plan, publisher, lifetime } = drive
  if (failed?.kind === 'internal' && !lifetime.signal.aborted)
    log.error({ err: failed.cause ?? failed }, 'a search failed')
  if (failed !== undefined && order.telling === 'stream' && !lifetime.signal.aborted) await publisher.failed(failed)
  if (failed !== undefined && order.telling === 'answer') await sendFailure(bus, session.id, failed)
  const isRunning = failed !== undefined && !(failed instanceof RunError) && !lifetime.signal.aborted
  if (isRunning && !dependencies.runsAreObjects) await cancelRun(dependencies, session.id)
  measures.searched(plan.adapter, outcomeOf(failed, lifetime))
  await announce(dependencies, session.id, outcomeFor(drive, outcome))
  await publisher.done(lifetime.isTimedOut() ? 'timeout' : null)
  await endSession(db, session.id, now())
}

const driveToEnd = async (dependencies: Dependencies, drive: Drive): Promise<void> => {
  const { lifetime, turn } = drive
  try {
    lifetime.signal.throwIfAborted()
    if (turn.delivery > maxTries)
      throw serviceError('internal', 'The search was interrupted too often.', {
        cause: new Error('Its tries are used up.'),
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
 * Drives a search that was asked for, on this replica or another, to its end. It may have been driven before by a replica
 * that died: what that one stored, counted and told is neither counted nor told again. Throws where another try may help.
 */
export const driveSearch = async (
  dependencies: Dependencies,
  sessionId: string,
  turn: SearchDelivery,
): Promise<void> => {
  const { db, bus, config, now } = dependencies
  const session = await findSearch(db, sessionId)
  if (!session || session.order_json === null || session.ended_at !== null) return
  const order = decodeOrder(session.order_json)
  const plan = planSearch(order.request, order.tier, config)
  const reported = await readPublishedUpdates(bus, sessionId, turn.signal)
  if (reported.isDone() || plan === undefined) return endSession(db, sessionId, now())
  const left = Math.max(0, Date.parse(session.deadline_at) - now().getTime())
  const lifetime = createSearchLifetime({ bus, log: dependencies.log, signal: turn.signal }, sessionId, left / 1000, {
    needsFollowers: order.object === undefined,
  })
  try {
    await driveToEnd(dependencies, {
      session,
      order,
      plan,
      publisher: createUpdatePublisher(dependencies, sessionId, reported),
      lifetime,
      turn,
    })
  } finally {
    lifetime.release()
  }
}
