import type { SimulatedProcess } from '../mod.ts'

/** Checks that no run has two workers at a time. */
export type WorkLog = {
  began: (runId: string, worker: SimulatedProcess) => void
  ended: (runId: string, worker: SimulatedProcess) => void
  /** Messages about workers that worked on the same run at once. */
  doubled: readonly string[]
}

export const createWorkLog = (): WorkLog => {
  const working = new Map<string, Set<SimulatedProcess>>()
  const doubled: string[] = []
  return {
    began: (runId, worker) => {
      const others = [...(working.get(runId) ?? [])].filter((other) => !other.isDead())
      for (const other of others) doubled.push(`${worker.name} works on ${runId} beside ${other.name}`)
      working.set(runId, new Set([...others, worker]))
    },
    ended: (runId, worker) => void working.get(runId)?.delete(worker),
    doubled,
  }
}
