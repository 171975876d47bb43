import { sessionIdsOf } from './session-ids.ts'

/** A kind of message that came after another in a piece of work. */
export type Step = { session: string; after: string; kind: string }

/** Pieces of work that are followed at once; the one that rested longest is forgotten. */
const maxSessions = 20_000
/** What has more entries is no piece of work: an id that all lines of a program have. */
const maxSteps = 200

/** Follows pieces of work through entries that come in the order of time. */
export const createSessionWalk = () => {
  const sessions = new Map<string, { last: string; steps: number }>()
  return {
    /** The steps that an entry is; none where it begins something, or repeats the message before. */
    next: ({ text, templateId }: { text: string; templateId: string }): Step[] =>
      sessionIdsOf(text).flatMap((session) => {
        const known = sessions.get(session)
        sessions.delete(session)
        sessions.set(session, { last: templateId, steps: (known?.steps ?? 0) + 1 })
        const [oldest] = sessions.size > maxSessions ? sessions.keys() : []
        if (oldest !== undefined) sessions.delete(oldest)
        if (!known || known.last === templateId || known.steps >= maxSteps) return []
        return [{ session, after: known.last, kind: templateId }]
      }),
    /** Something is missing in between: what comes is not what came next. */
    forget: () => sessions.clear(),
  }
}
