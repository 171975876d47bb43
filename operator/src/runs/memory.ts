import type { Clock, KubeObject } from '../runtime/mod.ts'
import { startingQuietly } from './waiting.ts'

/**
 * In-memory state of a run, times in milliseconds since 1970. All of it is disposable: a process that lacks it repeats
 * some messages and restarts its delays.
 */
export type RunMemory = {
  runId: string
  /** When the run was accepted, or last had to wait for something that does not count towards its time. */
  acceptedAt: number
  /** When its status shows that it is starting, if it still is. */
  quietUntil: number
  /** It waits for something that does not count towards its time, until the next reconcile looks. */
  isHeld?: boolean
  /** When its plan was last requested from the service. */
  planRequestedAt?: number
  /** Uids of the pods that the run was assigned to. */
  assigned: Set<string>
  /** Uids of the surplus pods whose removal is logged. */
  surplus: Set<string>
  /** When each worker was first seen to have ended, by uid: the clocks of nodes may differ from ours. */
  endedAt: Map<string, number>
  /** Since when its worker is not scheduled, if its kind waits for a node. */
  waitingSince?: number
  /** It holds one of the slots for concurrent runs, if its kind counts them by runs. */
  isAdmitted?: true
}

/** In-memory states of the runs of a kind. */
export type RunMemories = {
  /** The state of an object's run. A run that replaces another starts with empty state. */
  of: (object: KubeObject, runId: string) => RunMemory
  /** The state of an object, by its uid, if there is any. */
  peek: (uid: string) => Readonly<RunMemory> | undefined
  drop: (uid: string) => void
}

/** Milliseconds between two runs that are shown as starting: under load, these writes would delay the start of others. */
const shownApart = 100

/** Maximum milliseconds after which a run is shown as starting, however many others are. */
const maxQuiet = 30_000

export const createRunMemories = (clock: Clock): RunMemories => {
  const memories = new Map<string, RunMemory>()
  let latestQuietUntil = 0

  /** Of runs that are accepted together, one after the other is shown as starting: most have started by then. */
  const nextQuietUntil = (now: number): number => {
    latestQuietUntil = Math.max(now + startingQuietly, Math.min(now + maxQuiet, latestQuietUntil + shownApart))
    return latestQuietUntil
  }

  return {
    of: ({ metadata: { uid } }, runId) => {
      const held = memories.get(uid)
      if (held?.runId === runId) return held
      const now = clock.now()
      const made: RunMemory = {
        runId,
        acceptedAt: now,
        quietUntil: nextQuietUntil(now),
        assigned: new Set(),
        surplus: new Set(),
        endedAt: new Map(),
      }
      memories.set(uid, made)
      return made
    },
    peek: (uid) => memories.get(uid),
    drop: (uid) => void memories.delete(uid),
  }
}

/** When a worker, by its uid, was first seen to have ended; `now` if this is the first time. */
export const firstSeenEnded = ({ endedAt }: RunMemory, uid: string, now: number): number => {
  const at = endedAt.get(uid) ?? now
  endedAt.set(uid, at)
  return at
}
