import type { Codec } from './codec.ts'

/** How much of a topic is kept for those who come late or come back. The first limit met drops the oldest event. */
export type Retention = { events: number; milliseconds: number }

/** A numbered stream of events that any number of readers follow, each from where it likes. */
export type Topic<Event> = Codec<Event> & {
  /** Dot-separated: the family, then the id of the thing the events are about. */
  name: string
  family: string
  keep: Retention
  /** Events with the same key supersede each other: a reader that lags gets the latest alone. */
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
