import type { Clock, KubeObject } from '../runtime/mod.ts'

/**
 * What this process remembers of a run that it works on, times in milliseconds since 1970. None of it must be kept: a process
 * that knows nothing of it says some things once more, and begins its waits anew.
 */
export type RunMemory = {
  runId: string
  /** When it was first taken on, or last waited for what is not its own time. */
  acceptedAt: number
  /** When the service was last asked to plan it. */
  orderedAt?: number
  /** Uids of the pods that were told of the run. */
  assigned: Set<string>
  /** Uids of the surplus pods whose end is logged. */
  surplus: Set<string>
  /** When what works on it was first seen to have ended, by its uid: the clocks of nodes are not ours. */
  endedAt: Map<string, number>
}

/** The memories of the runs of a kind, with what that kind remembers beside. */
export type RunMemories<More extends object = object> = {
  /** The memory of an object's run. A run that takes the place of another begins without any. */
  of: (object: KubeObject, runId: string) => RunMemory & Partial<More>
  /** What there is of an object, by its uid. */
  peek: (uid: string) => Readonly<RunMemory & Partial<More>> | undefined
  forget: (uid: string) => void
}

export const createRunMemories = <More extends object = object>(clock: Clock): RunMemories<More> => {
  const memories = new Map<string, RunMemory & Partial<More>>()
  return {
    of: ({ metadata: { uid } }, runId) => {
      const held = memories.get(uid)
      if (held?.runId === runId) return held
      const made: RunMemory = {
        runId,
        acceptedAt: clock.now(),
        assigned: new Set(),
        surplus: new Set(),
        endedAt: new Map(),
      }
      memories.set(uid, made as RunMemory & Partial<More>)
      return made as RunMemory & Partial<More>
    },
    peek: (uid) => memories.get(uid),
    forget: (uid) => void memories.delete(uid),
  }
}

/** When something, by its uid, was first seen to have ended, which is `now` if it was not seen so before. */
export const firstSeenEnded = ({ endedAt }: RunMemory, uid: string, now: number): number => {
  const at = endedAt.get(uid) ?? now
  endedAt.set(uid, at)
  return at
}
