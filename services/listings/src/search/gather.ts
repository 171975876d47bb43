import { isServiceError } from '@trellis/kit/errors'
import { isLockTimeout } from '@trellis/kit/store'
import { expiresAt, summariseSales } from '../comps/comps.ts'
import { type StoredComp, saveComp } from '../comps/store.ts'
import type { Dependencies } from '../dependencies.ts'
import type { SearchPlan } from '../query/plan.ts'
import { type Found, rescore, storeFound } from '../results/found.ts'
import { scoreRows } from '../results/scored.ts'
import type { UpdatePublisher } from '../results/update-publisher.ts'
import { type Answer, type AnswerFrame, answerFrom, rawAnswer } from '../results/wire.ts'
import type { WorkerOutput } from '../worker/messages.ts'

/** A search in progress, its owner, and how its results are published. */
export type Gathering = {
  readonly sessionId: string
  /** Owner of the listings found. */
  readonly user: string
  readonly plan: SearchPlan
  /** A stored market price that had not expired when the search began. */
  readonly stored: StoredComp | undefined
  /** Publishes results incrementally; if undefined, everything is returned at the end, as the answer. */
  readonly publisher: UpdatePublisher | undefined
  /** Whether its results are worthless unless they are stored, as those of a monitor are: then it waits for a locked database, too. */
  readonly mustStore?: boolean
  readonly frame: AnswerFrame
}

/** Results of a run: the stored findings, and the whole answer. `found` is undefined if the database was unavailable. */
export type Gathered = { readonly found: Found | undefined; readonly answer: Answer }

const toComp = async (
  { db, config, log, now }: Dependencies,
  query: string,
  { sales, failure }: Extract<WorkerOutput, { kind: 'sales' }>,
): Promise<StoredComp> => {
  if (failure !== null) log.warn({ failure }, 'listings: completed sales lookup failed')
  const at = now()
  const comp = summariseSales(sales, query, at)
  try {
    // Sales that could not be looked up are no finding: the next search looks again.
    if (failure === null) return await saveComp(db, config.platform, query, comp, at)
  } catch (error) {
    if (!isServiceError(error, 'unavailable')) throw error
    log.warn({ err: error }, 'listings: database locked, market price not stored')
  }
  return { ...comp, fetchedAt: at.toISOString(), expiresAt: expiresAt(at, comp).toISOString() }
}

const scored = async (dependencies: Dependencies, found: Found, frame: AnswerFrame): Promise<Answer> =>
  answerFrom(found, await scoreRows(dependencies, found.rows, found.sellers, found.context), frame)

/** Publishes a price that came after the listings, and the scores that it changes. */
const publishLatePrice = async (
  dependencies: Dependencies,
  found: Found,
  publisher: UpdatePublisher,
): Promise<void> => {
  await publisher.price(found.context.comp)
  if (found.context.comp?.medianPrice !== null) await rescore(dependencies, found.rows, found, publisher)
}

/**
 * Stores what was found, and scores it if it is published incrementally. If the database stays locked, the listings are returned without scores; a call
 * that waits for its answer gets them so also if the database cannot be reached, while a stream waits for it.
 */
const storeOutput = async (
  dependencies: Dependencies,
  output: Extract<WorkerOutput, { kind: 'found' }>,
  { sessionId, user, plan, publisher, mustStore = false, frame }: Gathering,
  comp: StoredComp | undefined,
): Promise<Gathered> => {
  try {
    const found = await storeFound(dependencies, { id: sessionId, userId: user }, plan, { ...output, comp })
    return { found, answer: publisher === undefined ? rawAnswer([], frame) : await scored(dependencies, found, frame) }
  } catch (error) {
    const isRawEnough = publisher === undefined ? isServiceError(error, 'unavailable') : isLockTimeout(error)
    if (!isRawEnough || mustStore) throw error
    dependencies.log.warn({ err: error }, 'listings: database unavailable, search answered without scores')
    const listings = output.listings.filter(plan.accepts)
    return { found: undefined, answer: rawAnswer(listings, frame) }
  }
}

/**
 * Follows a search's run. With a publisher, listings are published as soon as they are scored, then the price when it is known,
 * then the scores it changes; otherwise everything is scored once, at the end. A restarted run repeats its output, which is
 * idempotent.
 */
export const gather = async (
  dependencies: Dependencies,
  outputs: AsyncIterable<WorkerOutput>,
  gathering: Gathering,
): Promise<Gathered> => {
  const { plan, publisher, frame } = gathering
  let comp = gathering.stored
  let found: Found | undefined
  for await (const output of outputs) {
    if (output.kind === 'sales') {
      comp = await toComp(dependencies, plan.terms.compQuery, output)
      found = found === undefined ? undefined : { ...found, context: { ...found.context, comp } }
      if (found !== undefined && publisher !== undefined) await publishLatePrice(dependencies, found, publisher)
    } else if (output.kind === 'found') {
      if (output.usableShare !== null) dependencies.metrics.pagesRead(output.usableShare)
      const stored = await storeOutput(dependencies, output, gathering, comp)
      await publisher?.listings(stored.answer)
      if (stored.found === undefined) return stored
      found = stored.found
      if (comp !== undefined) await publisher?.price(comp)
    }
  }
  if (found === undefined || publisher !== undefined) return { found, answer: rawAnswer([], frame) }
  return { found, answer: await scored(dependencies, found, frame) }
}
