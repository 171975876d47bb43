import { isServiceError } from '@trellis/kit/errors'
import { expiresAt, summariseSales } from '../comps/comps.ts'
import { type StoredComp, saveComp } from '../comps/store.ts'
import type { Dependencies } from '../dependencies.ts'
import type { SearchPlan } from '../query/plan.ts'
import { type Found, rescore, storeFound } from '../results/found.ts'
import { scoreRows } from '../results/scored.ts'
import type { UpdatePublisher } from '../results/update-publisher.ts'
import { type Answer, type AnswerFrame, answerFrom, rawAnswer } from '../results/wire.ts'
import type { WorkerOutput } from '../worker/messages.ts'

/** One search under way: who searches for what, and how it is told. */
export type Gathering = {
  readonly sessionId: string
  /** Whose finds it adds to. */
  readonly user: string
  readonly plan: SearchPlan
  /** A market price that was still good when the search began. */
  readonly stored: StoredComp | undefined
  /** Tells as it goes; without it, everything is told at the end, as the answer. */
  readonly publisher: UpdatePublisher | undefined
  readonly frame: AnswerFrame
}

/** What a run brought: what was found, and the whole answer. Unstored, when the database stayed locked. */
export type Gathered = { readonly found: Found | undefined; readonly answer: Answer }

const toComp = async (
  { db, config, log, now }: Dependencies,
  query: string,
  { sales, failure }: Extract<WorkerOutput, { kind: 'sales' }>,
): Promise<StoredComp> => {
  if (failure !== null) log.warn({ failure }, 'completed sales could not be looked up')
  const at = now()
  const comp = summariseSales(sales)
  try {
    await saveComp(db, config.platform, query, comp, at)
  } catch (error) {
    if (!isServiceError(error, 'unavailable')) throw error
    log.warn({ err: error }, 'the database stayed locked: a market price is used but not kept')
  }
  return { ...comp, fetchedAt: at.toISOString(), expiresAt: expiresAt(at).toISOString() }
}

const scored = async (dependencies: Dependencies, found: Found, frame: AnswerFrame): Promise<Answer> =>
  answerFrom(found, await scoreRows(dependencies, found.rows, found.sellers, found.context), frame)

/** The price came after the listings: it is told, and so is what it changes. */
const tellLatePrice = async (dependencies: Dependencies, found: Found, publisher: UpdatePublisher): Promise<void> => {
  await publisher.price(found.context.comp)
  if (found.context.comp?.medianPrice !== null) await rescore(dependencies, found.rows, found, publisher)
}

/**
 * Stores what was found, and scores it where it is told at once. A call that waits for its answer gets the listings without
 * scores where the database stays away; a stream waits for the database.
 */
const keep = async (
  dependencies: Dependencies,
  output: Extract<WorkerOutput, { kind: 'found' }>,
  { sessionId, user, plan, publisher, frame }: Gathering,
  comp: StoredComp | undefined,
): Promise<Gathered> => {
  try {
    const found = await storeFound(dependencies, { id: sessionId, userId: user }, plan, { ...output, comp })
    return { found, answer: publisher === undefined ? rawAnswer([], frame) : await scored(dependencies, found, frame) }
  } catch (error) {
    if (!isServiceError(error, 'unavailable') || publisher !== undefined) throw error
    dependencies.log.warn({ err: error }, 'the database stayed away: a search is answered without scores')
    const listings = output.listings.filter(({ title }) => plan.terms.matches(title))
    return { found: undefined, answer: rawAnswer(listings, frame) }
  }
}

/**
 * Follows a search's run. Told as it goes, listings come as soon as they are scored, the price when it is known, then what
 * it changes; else everything is scored once, when it is all there. A run that was started again says again what it has
 * said, which changes nothing that was counted.
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
      if (found !== undefined && publisher !== undefined) await tellLatePrice(dependencies, found, publisher)
    } else if (output.kind === 'found') {
      if (output.usableShare !== null) dependencies.measures.pagesRead(output.usableShare)
      const stored = await keep(dependencies, output, gathering, comp)
      await publisher?.listings(stored.answer)
      if (stored.found === undefined) return stored
      found = stored.found
      if (comp !== undefined) await publisher?.price(comp)
    }
  }
  if (found === undefined || publisher !== undefined) return { found, answer: rawAnswer([], frame) }
  return { found, answer: await scored(dependencies, found, frame) }
}
