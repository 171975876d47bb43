import type { Clock } from '../runtime/mod.ts'
import type { Workload } from '../workers/mod.ts'
import { idleKey } from './idle-pods.ts'

/** Identifies the workers that are requested. */
export type DemandKey = { namespace: string; workload: Workload }

/**
 * How often runs request workers. A starting pod competes for the processor with runs that start meanwhile, so a pool
 * is refilled in the pauses between them.
 */
export type Demand = {
  /** Records that a run requests a worker; the caller calls `granted` once it has one or there is none. */
  requested: (demandKey: DemandKey) => { granted: () => void }
  /** Milliseconds until demand counts as quiet if no run requests a worker meanwhile; 0 if it is quiet. */
  quietIn: (demandKey: DemandKey) => number
  /**
   * When a run last requested a worker, in milliseconds since 1970; undefined if none has since this process started.
   */
  lastRequested: (demandKey: DemandKey) => number | undefined
  onRequested: (handler: (demandKey: DemandKey) => void) => void
}

/** Minimum and maximum of the quiet period before a refill, in milliseconds. */
const shortestQuiet = 300
const longestQuiet = 3_000

/** Weight of the last gap between two runs in their moving average. */
const weight = 0.3

type DemandRecord = { at: number; monotonic: number; meanGap: number | undefined; open: number }

export const createDemand = ({ clock }: { clock: Clock }): Demand => {
  const records = new Map<string, DemandRecord>()
  const handlers: ((demandKey: DemandKey) => void)[] = []
  const recordOf = ({ namespace, workload }: DemandKey) => records.get(idleKey(namespace, workload))

  /** Twice the usual gap: with a run every second, no pod should start half a second before the next. */
  const quietAfter = ({ meanGap }: DemandRecord): number =>
    Math.min(longestQuiet, Math.max(shortestQuiet, 2 * (meanGap ?? 0)))

  return {
    requested: (demandKey) => {
      const now = clock.monotonic()
      const held = recordOf(demandKey)
      const gap = held && Math.min(now - held.monotonic, longestQuiet)
      const record: DemandRecord = held ?? { at: 0, monotonic: now, meanGap: undefined, open: 0 }
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
