import type { Clock } from '../runtime/mod.ts'
import type { Workload } from '../workers/mod.ts'
import { idleKey } from './idle-pods.ts'

/** Whose workers are wished for. */
export type DemandKey = { namespace: string; workload: Workload }

/**
 * How often runs ask for workers. A pod that is being started takes the processor from the runs that start meanwhile, so a
 * pool is refilled in the pauses between them.
 */
export type Demand = {
  /** A run asks for a worker; `granted` is to be called when it has one, or is told that there is none. */
  requested: (demandKey: DemandKey) => { granted: () => void }
  /** Milliseconds until it counts as quiet, if nobody asks in between; 0 where it is. */
  quietIn: (demandKey: DemandKey) => number
  /** When a run last asked, in milliseconds since 1970; undefined where none has since this process began. */
  lastRequested: (demandKey: DemandKey) => number | undefined
  onRequested: (handler: (demandKey: DemandKey) => void) => void
}

/** Milliseconds of quiet before a refill, at least and at most. */
const shortestQuiet = 300
const longestQuiet = 3_000

/** What the last gap between two runs counts for in their mean. */
const weight = 0.3

type Asking = { at: number; monotonic: number; meanGap: number | undefined; open: number }

export const createDemand = ({ clock }: { clock: Clock }): Demand => {
  const records = new Map<string, Asking>()
  const handlers: ((demandKey: DemandKey) => void)[] = []
  const recordOf = ({ namespace, workload }: DemandKey) => records.get(idleKey(namespace, workload))

  /** Twice the usual gap: who comes every second is not to be met by a starting pod after half of it. */
  const quietAfter = ({ meanGap }: Asking): number =>
    Math.min(longestQuiet, Math.max(shortestQuiet, 2 * (meanGap ?? 0)))

  return {
    requested: (demandKey) => {
      const now = clock.monotonic()
      const held = recordOf(demandKey)
      const gap = held && Math.min(now - held.monotonic, longestQuiet)
      const record: Asking = held ?? { at: 0, monotonic: now, meanGap: undefined, open: 0 }
      if (gap !== undefined) record.meanGap = (record.meanGap ?? gap) * (1 - weight) + gap * weight
      record.at = clock.now()
      record.monotonic = now
      record.open += 1
      records.set(idleKey(demandKey.namespace, demandKey.workload), record)
      for (const handler of handlers) handler(demandKey)
      return {
        granted: () => {
          record.open -= 1
        },
      }
    },
    quietIn: (demandKey) => {
      const record = recordOf(demandKey)
      if (!record) return 0
      if (record.open > 0) return shortestQuiet
      return Math.max(0, record.monotonic + quietAfter(record) - clock.monotonic())
    },
    lastRequested: (demandKey) => recordOf(demandKey)?.at,
    onRequested: (handler) => void handlers.push(handler),
  }
}
