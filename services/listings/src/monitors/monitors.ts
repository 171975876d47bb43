import { type Rounds, startRounds } from '@trellis/kit/lifecycle'
import type { Dependencies } from '../dependencies.ts'
import { concludeRun, type RecordAlerts } from './conclude-run.ts'
import { queueSearch, startRun } from './start-run.ts'
import { abandonRun, claimRun, dueMonitors, runsUnderWay, type UnderWay } from './store.ts'

export type MonitorOptions = {
  readonly recordAlerts: RecordAlerts
  /** Called when a run has made alerts. */
  readonly onAlerts: () => void
}

/**
 * Pause between rounds while nothing is under way, and while something is, in milliseconds. A round follows at once when a search ends here; the pause is for
 * those that another replica has ended without concluding the run.
 */
const idlePause = 5_000
const busyPause = 500
/** How long a replica claims a run to conclude it, in milliseconds; another takes over when it has died. */
const concludeClaim = 60_000
/** A run is checked when it has been under way for this long, and again after this time, in milliseconds. */
const checkPause = 30_000
/** Runs and monitors that one round looks at. */
const maxPerRound = 200

/** Whether searches of users, or of earlier runs, wait for a worker: monitors then wait, too. */
const isCongested = async ({ workloads, log }: Dependencies): Promise<boolean> => {
  try {
    return (await workloads.capacity({ workload: 'WORKLOAD_SEARCH' })).queued > 0
  } catch (error) {
    log.warn({ err: error }, 'listings: monitors wait, because the workloads are unavailable')
    return true
  }
}

/** Queues the search of a run again if its replica died before it was queued; one that was never registered is run again. */
const checkRun = async (dependencies: Dependencies, run: UnderWay): Promise<void> => {
  if (run.run_id === null) return
  if (run.session_id === null) await abandonRun(dependencies.db, run.id, run.run_id)
  else await queueSearch(dependencies, run.run_id)
}

const conclude = async (dependencies: Dependencies, run: UnderWay, options: MonitorOptions): Promise<void> => {
  const { db, log, now } = dependencies
  const claimed = await claimRun(db, run, now(), new Date(now().getTime() + concludeClaim))
  if (claimed === undefined) return
  const alerts = await concludeRun(dependencies, claimed, options.recordAlerts)
  log.info({ savedSearch: run.id, alerts }, 'listings: monitor ran')
  if (alerts > 0) options.onAlerts()
}

/** Starts due monitors as far as the limit allows; returns the number of those that it started. */
const startDue = async (dependencies: Dependencies, underWay: number): Promise<number> => {
  const { db, config, now, signal } = dependencies
  const free = config.monitorsAtOnce - underWay
  const due = free <= 0 ? [] : await dueMonitors(db, now(), free)
  if (due.length === 0 || (await isCongested(dependencies))) return 0
  for (const monitor of due) {
    signal.throwIfAborted()
    await startRun(dependencies, monitor)
  }
  return due.length
}

/**
 * Runs the monitors of all users, on any replica: those that are due are started as searches, and those whose search has ended
 * are concluded. All state is in rows, so the death of a replica at any point delays a run, but neither loses nor repeats it.
 */
export const runMonitors = (dependencies: Dependencies, options: MonitorOptions): Rounds => {
  const { db, log, now, signal } = dependencies
  /** When this replica last checked the runs that are under way. */
  let checked = new Map<string | null, number>()
  const check = async (run: UnderWay): Promise<void> => {
    const last = checked.get(run.run_id) ?? Date.parse(run.run_started_at ?? '')
    if (now().getTime() - last < checkPause) return
    await checkRun(dependencies, run)
    checked.set(run.run_id, now().getTime())
  }
  let pause = idlePause
  const round = async (): Promise<void> => {
    pause = idlePause
    const runs = await runsUnderWay(db, maxPerRound)
    let ended = 0
    for (const run of runs) {
      signal.throwIfAborted()
      if (run.ended_at !== null) {
        await conclude(dependencies, run, options)
        ended += 1
      } else await check(run)
    }
    checked = new Map([...checked].filter(([id]) => runs.some(({ run_id }) => run_id === id)))
    const started = await startDue(dependencies, runs.length - ended)
    if (runs.length - ended + started > 0) pause = busyPause
  }
  return startRounds({
    milliseconds: () => pause,
    startsAtOnce: true,
    signal,
    round,
    onFailure: (error) => log.warn({ err: error }, 'listings: monitors could not run now'),
  })
}
