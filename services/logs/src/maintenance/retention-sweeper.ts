import { startRounds } from '@trellis/kit/lifecycle'
import type { ConfiguredSources } from '../collect/sources-file.ts'
import type { LogsConfig } from '../config.ts'
import type { Overlays } from '../overlays/store.ts'
import type { ObsoleteDetections } from '../scoring/obsolete-detections.ts'
import { type Freed, isUnlimited, type Retention } from '../segments/retention.ts'
import type { LogEngine } from '../threads/log-engine.ts'

export type RetentionSweeperOptions = {
  config: Pick<LogsConfig, 'retentionDays' | 'retentionGigabytes'>
  engine: Pick<LogEngine, 'maintain' | 'sources'>
  sources: Pick<ConfiguredSources, 'read'>
  overlays: Pick<Overlays, 'dropBefore'>
  detections: Pick<ObsoleteDetections, 'dropBefore' | 'dropOutlived'>
  /** Whether sources may have entries that are not reported at the moment, such as those of an unreachable branch. */
  mayBeElsewhere: () => Promise<boolean>
  now: () => number
  /** Called with what a sweep deleted. */
  onFreed: (freed: Freed) => void
  onProblem: (error: unknown) => void
}

/** Deletes entries whose retention has expired. */
export type RetentionSweeper = {
  /** One sweep; with `isThorough` it reclaims all disk space that can be reclaimed. undefined while another replica sweeps. */
  sweep: (isThorough: boolean) => Promise<Freed | undefined>
  /** Sweeps periodically until the signal aborts; with unlimited retention it wakes no thread. */
  run: (signal: AbortSignal) => Promise<void>
}

const day = 86_400_000
const gigabyte = 1e9
/** Interval between two sweeps. */
const roundMilliseconds = 15 * 60_000

export const createRetentionSweeper = (options: RetentionSweeperOptions): RetentionSweeper => {
  const { config, engine, sources, overlays, detections, mayBeElsewhere, now, onFreed, onProblem } = options

  const retention = async (): Promise<Retention> => {
    const { entries } = await sources.read()
    return {
      days: config.retentionDays ?? null,
      bytes: config.retentionGigabytes === undefined ? null : config.retentionGigabytes * gigabyte,
      sources: entries.flatMap(({ sourceId, retentionDays }) =>
        retentionDays === null ? [] : [{ source: sourceId, days: retentionDays }],
      ),
    }
  }
  /** Deletes findings that are older than all entries that may still exist. */
  const deleteOldFindings = async ({ days, sources: own }: Retention) => {
    if (days === null) return
    const longest = Math.max(days, ...own.map((source) => source.days))
    const moment = now() - (longest * 1.1 + 1) * day
    await overlays.dropBefore(moment)
    await detections.dropBefore(moment)
  }
  const sweep: RetentionSweeper['sweep'] = async (isThorough) => {
    const desired = await retention()
    if (!isThorough && isUnlimited(desired)) return undefined
    const freed = await engine.maintain({ retention: desired, now: now(), isThorough })
    if (freed) {
      await deleteOldFindings(desired)
      if (!(await mayBeElsewhere())) await detections.dropOutlived(await engine.sources({}))
      if (freed.entries > 0) onFreed(freed)
    }
    return freed
  }
  return {
    sweep,
    run: (signal) =>
      startRounds({ milliseconds: roundMilliseconds, signal, round: () => sweep(false), onFailure: onProblem }).ended,
  }
}
