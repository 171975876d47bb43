import { startRounds } from '@trellis/kit/lifecycle'
import type { ConfiguredSources } from '../collect/sources-file.ts'
import type { LogsConfig } from '../config.ts'
import type { Overlays } from '../overlays/store.ts'
import type { OutlivedDetections } from '../scoring/outlived-detections.ts'
import { type Freed, keepsAll, type Retention } from '../segments/retention.ts'
import type { LogEngine } from '../threads/log-engine.ts'

export type KeepingOptions = {
  config: Pick<LogsConfig, 'retentionDays' | 'retentionGigabytes'>
  engine: Pick<LogEngine, 'maintain' | 'sources'>
  sources: Pick<ConfiguredSources, 'read'>
  overlays: Pick<Overlays, 'dropBefore'>
  detections: Pick<OutlivedDetections, 'dropBefore' | 'dropOutlived'>
  /** Whether sources may have entries that are not told of at the moment, as those of a branch that is away. */
  mayBeElsewhere: () => Promise<boolean>
  now: () => number
  /** Told of what was let go. */
  onFreed: (freed: Freed) => void
  onProblem: (error: unknown) => void
}

/** Keeps entries for as long as is wanted. */
export type Keeping = {
  /** One look; `isThorough` gives back all the room there is to give. undefined where another replica is at it. */
  look: (isThorough: boolean) => Promise<Freed | undefined>
  /** Looks now and then until the signal aborts; where everything is kept, nothing is woken. */
  run: (signal: AbortSignal) => Promise<void>
}

const day = 86_400_000
const gigabyte = 1e9
/** Between two looks. */
const roundMilliseconds = 15 * 60_000

export const createKeeping = (options: KeepingOptions): Keeping => {
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
  /** What was found out before any entry arrived that is still kept. */
  const forgetFindings = async ({ days, sources: own }: Retention) => {
    if (days === null) return
    const longest = Math.max(days, ...own.map((source) => source.days))
    const moment = now() - (longest * 1.1 + 1) * day
    await overlays.dropBefore(moment)
    await detections.dropBefore(moment)
  }
  const look: Keeping['look'] = async (isThorough) => {
    const wanted = await retention()
    if (!isThorough && keepsAll(wanted)) return undefined
    const freed = await engine.maintain({ retention: wanted, now: now(), isThorough })
    if (freed) {
      await forgetFindings(wanted)
      if (!(await mayBeElsewhere())) await detections.dropOutlived(await engine.sources({}))
      if (freed.entries > 0) onFreed(freed)
    }
    return freed
  }
  return {
    look,
    run: (signal) =>
      startRounds({ milliseconds: roundMilliseconds, signal, round: () => look(false), onFailure: onProblem }).ended,
  }
}
