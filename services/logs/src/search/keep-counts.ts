import type { Keep, Part } from '../segments/part.ts'
import type { Filters } from './filters.ts'
import type { Query } from './query.ts'

/** For what must not be kept. */
export const findAnew: Keep = async (_name, find) => (await find()).value

/** Whether what is found out will be there when it is asked for again. */
export const isKept = (keep: Keep): boolean => keep !== findAnew

export type KeeperOf = (part: Part) => Keep

/** Names of what is kept for a question, made once: the same text is looked for in every part. */
const createNames = (asked: string): ((name: string) => string) => {
  const names = new Map<string, string>()
  return (name) => {
    const known = names.get(name)
    if (known !== undefined) return known
    const made = `${name} of ${asked}`
    names.set(name, made)
    return made
  }
}

/**
 * What matched in a part that does not change is counted once: whoever asks the same again, as a page that is kept up to date does, pays
 * for what has come since. Where the time that is asked for cuts through a part, the next question cuts elsewhere, and nothing is kept.
 */
export const createKeeper = ({ query, filters }: { query: Query | null; filters: Filters }): KeeperOf => {
  const { since, until, ...others } = filters
  const nameOf = createNames(JSON.stringify([query, others]))
  return ({ firstTime, lastTime, keep }) => {
    const isCut = (since !== undefined && firstTime < since) || (until !== undefined && lastTime >= until)
    return isCut || !keep ? findAnew : (name, find) => keep(nameOf(name), find)
  }
}

/** The same for what holds only of a part of the question. */
export const keeperFor =
  (keeperOf: KeeperOf, way: string): KeeperOf =>
  (part) => {
    const keep = keeperOf(part)
    return isKept(keep) ? (name, find) => keep(`${name} of ${way}`, find) : findAnew
  }
