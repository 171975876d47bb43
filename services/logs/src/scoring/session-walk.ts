import { sessionIdsOf } from './session-ids.ts'

/** A template that followed another one in a session. */
export type Step = { session: string; after: string; kind: string }

/** Sessions that are tracked at once; beyond that, the least recently seen is evicted. */
const maxSessions = 20_000
/** An id with more entries does not identify a session: all lines of a program have it. */
const maxSteps = 200

/** Tracks sessions through entries in time order. */
export const createSessionWalk = () => {
  const sessions = new Map<string, { last: string; steps: number }>()
  return {
    /** The steps that an entry makes, one per session; none if it starts the session or repeats the previous template. */
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
    /** Ends all sessions: entries are missing before the next one, so it does not follow the previous one. */
    reset: () => sessions.clear(),
  }
}
