import type { Bus } from './bus.ts'
import type { Topic } from './topic.ts'

/**
 * The sequence after which a client resumes a topic, by the `Last-Event-ID` that it sends: undefined for a new client, null for an id that no event
 * of the topic can have had. Throws `unavailable`.
 */
export const resumeAfter = async <Event>(
  bus: Pick<Bus, 'lastSequence'>,
  topic: Topic<Event>,
  lastEventId: string | null | undefined,
): Promise<number | undefined | null> => {
  if (!lastEventId) return undefined
  const sequence = /^\d{1,16}$/.test(lastEventId) ? Number(lastEventId) : Number.NaN
  return sequence <= (await bus.lastSequence(topic)) ? sequence : null
}
