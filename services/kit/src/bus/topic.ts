import type { Codec } from './codec.ts'

/** How much of a topic is retained for readers that start late or resume. The oldest event is dropped at whichever limit is reached first. */
export type Retention = { events: number; milliseconds: number }

/** A numbered stream of events that any number of readers follow, each with its own cursor. */
export type Topic<Event> = Codec<Event> & {
  /** Dot-separated: the family, then the id of the subject of the events. */
  name: string
  family: string
  keep: Retention
  /** Events with the same key supersede each other: a reader that lags gets only the latest. */
  coalesceBy?: (event: Event) => string | undefined
}

const token = /^[A-Za-z0-9_=-]+$/

/**
 * Declares a family of topics, one for each id: `const updates = topics({ family: 'listings.updates', ...codec, keep })`,
 * then `updates(sessionId)`. A family is one stream in a distributed bus.
 */
export const topics =
  <Event>(family: Omit<Topic<Event>, 'name'>) =>
  (id: string): Topic<Event> => {
    if (!token.test(id)) throw new TypeError(`"${id}" cannot name a topic of ${family.family}.`)
    return { ...family, name: `${family.family}.${id}` }
  }
