import type { Keep, Part } from '../segments/part.ts'
import type { Filters } from './filters.ts'
import type { Query } from './query.ts'

/**
 * What matched in a part that does not change is counted once: whoever asks the same again, as a page that is kept up to date does, pays
 * for what has come since. Where the time that is asked for cuts through a part, the next question cuts elsewhere, and nothing is kept.
 */
export const createKeeper = ({ query, filters }: { query: Query | null; filters: Filters }): ((part: Part) => Keep) => {
  const { since, until, ...others } = filters
  const asked = JSON.stringify([query, others])
  return (part) => {
    const isCut = (since !== undefined && part.firstTime < since) || (until !== undefined && part.lastTime >= until)
    return isCut ? findAnew : (name, find) => part.keep(`${name} of ${asked}`, find)
  }
}

/** For what must not be kept. */
export const findAnew: Keep = async (_name, find) => (await find()).value
