import { randomUUID } from 'node:crypto'
import { serviceError } from '@trellis/kit/errors'
import type { Call, Caller } from '@trellis/kit/rpc'
import type { SearchRequest } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import type { Dependencies } from '../dependencies.ts'
import { answerOf } from '../results/answer.ts'
import { readPublishedUpdates } from '../results/published-updates.ts'
import { createUpdatePublisher } from '../results/update-publisher.ts'
import { type Control, controlOf } from '../results/updates.ts'
import { type Answer, answerFrame, rawAnswer } from '../results/wire.ts'
import { countRunning, createSession, deleteSession, endSession } from '../session/store.ts'
import { deadlineSeconds, encodeJob, type ResponseMode, searches } from './job.ts'

/** How much longer than the search's deadline a call waits, so that the search's own timeout arrives first, in milliseconds. */
const grace = 5_000

const retrySeconds = 10

/** A call that starts a search. */
type Searcher = Pick<Call, 'caller' | 'client'>

/**
 * Whose limit a search counts towards: the account's, or that of the client's address, because a client can make up any number of
 * guests. Clients on this machine have no address here.
 */
const countedFor = ({ caller: { kind, userId }, client }: Searcher): string =>
  client === undefined || kind === 'account' || kind === 'local' ? userId : `address:${client}`

/** The subject of the refusal, and what its reader can do. */
const limited = (searcher: Searcher): { whose: string; remedy: string } => {
  if (countedFor(searcher) !== searcher.caller.userId)
    return { whose: 'Guests and visitors at your address have', remedy: 'sign in, or wait until one has ended' }
  return searcher.caller.kind === 'anonymous'
    ? { whose: 'Visitors without a session have', remedy: 'open a session of your own, or wait' }
    : { whose: 'You have', remedy: 'cancel one, or wait until one has ended' }
}

/**
 * Throws 429 if a user has the maximum number of searches under way. The limit is approximate: replicas that are called
 * concurrently may each admit one.
 */
const requireCapacity = async ({ db, config, now }: Dependencies, searcher: Searcher): Promise<void> => {
  const limit = config.searchesPerUser
  if ((await countRunning(db, countedFor(searcher), now())) < limit) return
  const { whose, remedy } = limited(searcher)
  throw serviceError('rate_limited', `${whose} ${limit} searches under way, which is the limit: ${remedy}.`, {
    retryAfterSeconds: retrySeconds,
  })
}

/** Registers a search and queues it for a driver. Throws if it cannot be accepted. */
const submitSearch = async (
  dependencies: Dependencies,
  sessionId: string,
  { request, searcher, responseMode }: { request: SearchRequest; searcher: Searcher; responseMode: ResponseMode },
): Promise<void> => {
  const { db, bus, now, admission } = dependencies
  const { caller } = searcher
  const deadlineAt = new Date(now().getTime() + deadlineSeconds[responseMode] * 1000)
  const jobJson = encodeJob({ request, tier: caller.tier, responseMode })
  // Serialized: otherwise concurrent searches would all be counted before any is registered.
  await admission.run(async () => {
    await requireCapacity(dependencies, searcher)
    const session = { userId: caller.userId, countedFor: countedFor(searcher), deadlineAt, jobJson }
    await createSession(db, { id: sessionId, ...session }, now())
  })
  try {
    await bus.enqueue(searches, { sessionId }, sessionId)
  } catch (error) {
    await deleteSession(db, sessionId)
    throw error
  }
}

/** Starts a search whose updates can be followed; returns the id of its session. */
export const startSearch = async (
  dependencies: Dependencies,
  request: SearchRequest,
  searcher: Searcher,
): Promise<string> => {
  const sessionId = randomUUID()
  await submitSearch(dependencies, sessionId, { request, searcher, responseMode: 'stream' })
  return sessionId
}

/** Searches and waits for the whole answer. A caller that disconnects first cancels the search. */
export const searchNow = async (dependencies: Dependencies, request: SearchRequest, call: Call): Promise<Answer> => {
  const { bus, log, signal: ending } = dependencies
  const sessionId = randomUUID()
  const late = AbortSignal.timeout(deadlineSeconds.answer * 1000 + grace)
  const answered = new AbortController()
  const answer = answerOf(bus, sessionId, AbortSignal.any([late, ending, answered.signal]))
  const cancel = () =>
    void bus
      .publish<Control>(controlOf(sessionId), { kind: 'cancel' })
      .catch((error: unknown) => log.warn({ err: error }, 'listings: search could not be cancelled'))
  call.signal.addEventListener('abort', cancel, { once: true })
  try {
    await submitSearch(dependencies, sessionId, { request, searcher: call, responseMode: 'answer' })
    if (call.signal.aborted) cancel()
    return await answer()
  } catch (error) {
    if (ending.aborted)
      throw serviceError('unavailable', 'The service is restarting. Try again shortly.', { retryAfterSeconds: 1 })
    if (late.aborted) throw serviceError('upstream_timeout', 'The search exceeded its time limit.', { cause: error })
    throw error
  } finally {
    answered.abort()
    call.signal.removeEventListener('abort', cancel)
  }
}

/** Creates a stream that ends at once without results, for a blank query. */
export const startEmptySearch = async (
  dependencies: Dependencies,
  adapter: 'api' | 'scraper',
  caller: Caller,
): Promise<string> => {
  const { db, bus, now, signal } = dependencies
  const sessionId = randomUUID()
  const session = { id: sessionId, userId: caller.userId, deadlineAt: now(), jobJson: null }
  await createSession(db, session, now())
  const publisher = createUpdatePublisher(dependencies, sessionId, await readPublishedUpdates(bus, sessionId, signal))
  await publisher.listings(rawAnswer([], await answerFrame(dependencies, adapter, sessionId, caller)))
  await publisher.done(null)
  await endSession(db, sessionId, now())
  return sessionId
}
