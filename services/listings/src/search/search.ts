import { randomUUID } from 'node:crypto'
import { failure, type ServiceFailure, toFailure } from '@trellis/kit/errors'
import type { Caller } from '@trellis/kit/rpc'
import { findComp } from '../comps/store.ts'
import { enrichFound } from '../enrich/after-search.ts'
import type { SearchOutcome } from '../measures.ts'
import { createSession, endSession } from '../session/store.ts'
import type { World } from '../world.ts'
import { startRun } from './follow-run.ts'
import type { Found } from './found.ts'
import { type Gathered, gather } from './gather.ts'
import { createLeash, type Leash } from './leash.ts'
import { marketplaceFor } from './marketplace.ts'
import type { SearchPlan } from './plan.ts'
import { createTeller } from './teller.ts'
import { type Answer, answerFrame, rawAnswer } from './wire.ts'

/** How a search tells what it finds: all at once as the answer to a call, or bit by bit on its stream. */
export type Telling = 'answer' | 'stream'

/** How long a search and what follows it may take, in seconds. */
export const deadlineSeconds: Readonly<Record<Telling, number>> = { answer: 90, stream: 150 }

export type StartedSearch = {
  readonly sessionId: string
  /** The whole answer, in the telling `answer`; the update stream carries what follows it. */
  readonly answer: Promise<Answer>
  /** Settled when nothing more will come. */
  readonly ended: Promise<void>
}

/** What a search that did not get to its end failed with: its leash's word goes before what that made fail. */
const whyItEnded = (error: unknown, leash: Leash, seconds: number): ServiceFailure => {
  if (leash.ranOut()) return failure('upstream_timeout', `The search took longer than the ${seconds} s it may.`)
  return leash.signal.aborted ? failure('conflict', 'The search was cancelled.') : toFailure(error)
}

const outcomeOf = (failed: ServiceFailure | undefined, leash: Leash): SearchOutcome => {
  if (leash.ranOut()) return 'timeout'
  if (leash.signal.aborted) return 'cancelled'
  return failed === undefined ? 'done' : 'failed'
}

/** Starts a search for a caller. Throws what keeps it from starting; later failures come with the answer or the stream. */
export const startSearch = async (
  world: World,
  plan: SearchPlan,
  caller: Caller,
  telling: Telling,
): Promise<StartedSearch> => {
  const { db, config, log, measures, now } = world
  const sessionId = randomUUID()
  const user = caller.userId
  const seconds = deadlineSeconds[telling]
  const { compQuery } = plan.terms
  const marketplace = await marketplaceFor(plan.adapter, world)
  const kept = await findComp(db, config.platform, compQuery, now())
  const teller = createTeller(world, sessionId)
  const frame = answerFrame(world, plan.adapter, sessionId)
  const leash = createLeash(world, sessionId, seconds)

  /** The search itself has succeeded: what fails now leaves scores partial, and the log says why. */
  const enrich = async (found: Found): Promise<void> => {
    try {
      await enrichFound(world, found, { sessionId, user, deadlineSeconds: seconds, teller, signal: leash.signal })
    } catch (error) {
      if (!leash.signal.aborted) log.warn({ err: error }, 'sellers could not be looked up')
    }
  }

  const conclude = async (failed: ServiceFailure | undefined): Promise<void> => {
    if (failed?.kind === 'internal') log.error({ err: failed.cause ?? failed }, 'a search failed')
    if (failed !== undefined && telling === 'stream' && !leash.signal.aborted) await teller.failed(failed)
    measures.searched(plan.adapter, outcomeOf(failed, leash))
    await teller.done(leash.ranOut() ? 'timeout' : null)
    leash.release()
    await endSession(db, sessionId, now())
  }

  const finish = async (gathered: Promise<Gathered>): Promise<void> => {
    try {
      const { found } = await gathered
      if (found !== undefined) await enrich(found)
      await conclude(undefined)
    } catch (error) {
      await conclude(whyItEnded(error, leash, seconds))
    }
  }

  try {
    const deadlineAt = new Date(now().getTime() + seconds * 1000)
    await createSession(db, { id: sessionId, userId: user, deadlineAt }, now())
    const outputs = await startRun(world, {
      runId: sessionId,
      input: {
        kind: 'search',
        marketplace,
        requests: plan.requests,
        salesQuery: kept === undefined ? compQuery : null,
      },
      user,
      deadlineSeconds: seconds,
      signal: leash.signal,
    })
    const gathered = gather(world, outputs, {
      user,
      plan,
      kept,
      teller: telling === 'stream' ? teller : undefined,
      frame,
    })
    const answer = gathered.then(
      (result) => result.answer,
      (error: unknown) => Promise.reject(whyItEnded(error, leash, seconds)),
    )
    // Whoever asked for a stream never looks at the answer.
    answer.catch(() => undefined)
    const ended = finish(gathered).catch((error: unknown) => log.error({ err: error }, 'a search ended badly'))
    return { sessionId, answer, ended }
  } catch (error) {
    leash.release()
    throw error
  }
}

/** Starts a stream that ends at once with nothing found, for a blank query. */
export const startEmptySearch = async (world: World, adapter: 'api' | 'scraper', caller: Caller): Promise<string> => {
  const { db, now } = world
  const sessionId = randomUUID()
  const teller = createTeller(world, sessionId)
  await createSession(db, { id: sessionId, userId: caller.userId, deadlineAt: now() }, now())
  await teller.listings(rawAnswer([], answerFrame(world, adapter, sessionId)))
  await teller.done(null)
  await endSession(db, sessionId, now())
  return sessionId
}
