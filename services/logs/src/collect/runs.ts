import { messageOf, serviceError } from '@trellis/kit/errors'
import type { HeldLease, Leases } from '@trellis/kit/leases'
import type { Log } from '@trellis/kit/telemetry'
import type { Task } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { Kysely } from 'kysely'
import type { RunningTask, Tasks } from '../ingest/tasks.ts'
import { createGate } from '../threads/gate.ts'
import { addResults, noResult } from '../threads/upload-result.ts'
import { type Collected, collectSource, type SourceCollecting } from './collect-source.ts'
import { type CollectStateTables, readCollectState, saveCollectState, saveSourceRun } from './collect-state-store.ts'
import type { Kept } from './keep-chunks.ts'
import { isOfEntry, type SourceEntry } from './source-entry.ts'
import type { SourceLocks } from './source-locks.ts'
import type { SourcesDocument } from './sources-document.ts'
import type { ConfiguredSources } from './sources-file.ts'

export type RunsOptions = {
  db: Kysely<CollectStateTables>
  collecting: SourceCollecting
  sources: ConfiguredSources
  tasks: Pick<Tasks, 'begin'>
  leases: Leases
  locks: SourceLocks
  /** Follows each run of the schedule, when other runs may begin again. */
  afterScheduled?: (signal: AbortSignal) => Promise<void>
  now: () => number
  log: Log
}

/** Runs over configured sources, one at a time among all replicas. */
export type Runs = AsyncDisposable & {
  /** Begins a run over all enabled sources, or over one. Throws `conflict` while one is under way, `not_found` for an id that is not configured. */
  begin: (asked: { source?: string | undefined; force: boolean }) => Promise<Task>
  /** Does the run of the schedule if it is due and none is under way, to its end; tells whether it did. */
  runIfDue: (intervalMilliseconds: number) => Promise<boolean>
}

/** A service that has just started does not begin with a run: whoever starts it many times would run as often. */
const settlingMilliseconds = 60_000
/** So many hosts are collected at once: one that does not answer holds up none of the others until its time is over. */
const maxHosts = 8
const runLease = 'glean'
const scheduleState = 'schedule'
/** So many mistakes of the sources file are told with a task. */
const maxToldProblems = 10
const nothingKept: Kept = { ...noResult, bytes: 0 }

const addKept = (left: Kept, right: Kept): Kept => ({ ...addResults(left, right), bytes: left.bytes + right.bytes })

const shown = ({ counts, formats }: Kept): Pick<Task, 'counts' | 'formats'> => {
  const { multiline_joined: multilineJoined, ...others } = counts
  return { counts: { ...others, multilineJoined }, formats }
}

const progressOf = (done: number, total: number | null): Task['progress'] => ({ done, total, unit: 'bytes' })

/** What a source's row says went wrong; null when all was well. */
const errorOf = ({ problems, problemCount }: Collected): string | null => {
  if (problemCount === 0) return null
  const more = problemCount - problems.length
  return `${problems.join(' ')}${more > 0 ? ` And ${more} more.` : ''}`
}

/** The source that an id names: its own, else that of entries that came from it. */
export const findSource = (entries: readonly SourceEntry[], id: string): SourceEntry | undefined =>
  entries.find((entry) => entry.id === id) ??
  entries
    .filter((entry) => isOfEntry(entry, id))
    .toSorted((a, b) => b.sourceId.length - a.sourceId.length)
    .at(0)

/** Where a source is collected: sources of one place are collected one after the other. */
const placeOf = (source: SourceEntry): string => (source.transport === 'local' ? '' : JSON.stringify(source.reach))

type Outcome = { kept: Kept; failures: string[]; problems: number }

/** What a run goes over, and what the sources file says that cannot be understood. */
type Asked = Pick<SourcesDocument, 'entries' | 'problems' | 'isReadable'>

const enabledOf = ({ entries, ...document }: SourcesDocument): Asked => ({
  ...document,
  entries: entries.filter(({ enabled }) => enabled),
})

/** One source that is understood, whatever else is not. Throws `not_found`. */
const onlyOf = ({ entries, problems }: SourcesDocument, id: string): Asked => {
  const found = findSource(entries, id)
  if (found) return { entries: [found], problems: [], isReadable: true }
  const why = problems.slice(0, maxToldProblems).map((problem) => ` ${problem}`)
  throw serviceError('not_found', `No source with the id "${id}" is configured.${why.join('')}`)
}

export const createRuns = (options: RunsOptions): Runs => {
  const { db, collecting, sources, tasks, leases, locks, now, log } = options
  const ending = new AbortController()
  const underWay = new Set<Promise<unknown>>()
  const iso = () => new Date(now()).toISOString()
  const openedAt = performance.now()

  const runSource = async (
    source: SourceEntry,
    { force, signal }: { force: boolean; signal: AbortSignal },
    onProgress: (kept: Kept) => void,
  ): Promise<Collected> => {
    try {
      const collected = await locks.use(source.id, { signal }, (held) =>
        collectSource(collecting, { source, force, signal: held, onProgress }),
      )
      await saveSourceRun(db, { source: source.id, last_glean: iso(), last_error: errorOf(collected) })
      return collected
    } catch (error) {
      // A run that was stopped says nothing about its source.
      if (!signal.aborted)
        await saveSourceRun(db, { source: source.id, last_glean: iso(), last_error: messageOf(error) })
      throw error
    }
  }
  const runAll = async (
    entries: readonly SourceEntry[],
    request: { force: boolean; signal: AbortSignal },
    task: RunningTask,
  ): Promise<Outcome> => {
    const resultOf = new Map<string, Kept>()
    const failureOf = new Map<string, string>()
    let problems = 0
    const total = () => [...resultOf.values()].reduce(addKept, nothingKept)
    const collect = async (source: SourceEntry) => {
      request.signal.throwIfAborted()
      const show = (own: Kept) => {
        resultOf.set(source.id, own)
        const sum = total()
        task.update({ progress: progressOf(sum.bytes, null), ...shown(sum) })
      }
      try {
        const collected = await runSource(source, request, show)
        resultOf.set(source.id, collected.kept)
        problems += collected.problemCount
      } catch (error) {
        request.signal.throwIfAborted()
        log.warn({ source: source.id, error }, 'a source cannot be collected')
        failureOf.set(source.id, `${source.id}: ${messageOf(error)}`)
      }
    }
    const places = createGate(maxHosts)
    const collectHost = async (sources: readonly SourceEntry[]) => {
      await places.enter(1)
      try {
        for (const source of sources) await collect(source)
      } finally {
        places.leave(1)
      }
    }
    // All have ended before the run does, also where one throws since the run is stopped.
    const ended = await Promise.allSettled([...Map.groupBy(entries, placeOf).values()].map(collectHost))
    const stopped = ended.find((result) => result.status === 'rejected')
    if (stopped) throw stopped.reason
    return { kept: total(), failures: entries.flatMap(({ id }) => failureOf.get(id) ?? []), problems }
  }
  const finish = (task: RunningTask, asked: Asked, { kept, failures, problems }: Outcome): Promise<Task> => {
    const hasFailed = !asked.isReadable || (failures.length > 0 && failures.length === asked.entries.length)
    const notes = [
      ...asked.problems.slice(0, maxToldProblems),
      ...failures.slice(0, 10),
      ...(problems > 0 ? [`Some of it could not be read (${problems}): the configured sources say what.`] : []),
    ]
    return task.finish({
      status: hasFailed ? 'failed' : 'done',
      progress: progressOf(kept.bytes, kept.bytes),
      ...shown(kept),
      error: notes.length === 0 ? null : notes.join(' '),
    })
  }
  /** Does a run that holds its lease, to its end. */
  const run = async (lease: HeldLease, task: RunningTask, asked: Asked, force: boolean) => {
    await using _held = lease
    try {
      return await finish(task, asked, await runAll(asked.entries, { force, signal: lease.signal }, task))
    } catch (error) {
      const why = lease.signal.aborted
        ? 'The run was stopped. What it had read is kept; run it again for the rest.'
        : messageOf(error)
      await task.finish({ status: 'failed', error: why })
      throw error
    }
  }
  const own = <Result>(work: Promise<Result>): Promise<Result> => {
    const settled = work.then(
      () => undefined,
      (error: unknown) => {
        if (!ending.signal.aborted) log.error({ error }, 'a run over the sources failed')
      },
    )
    underWay.add(settled)
    void settled.finally(() => underWay.delete(settled))
    return work
  }
  /** The task, and the run that goes on. Gives the lease back when there is nothing to do. */
  const start = async (lease: HeldLease, asked: Asked, force: boolean) => {
    try {
      const task = await tasks.begin('glean', 'bytes')
      const first = task.task
      const running = own(run(lease, task, asked, force))
      running.catch(() => undefined)
      return { task: first, running }
    } catch (error) {
      await lease[Symbol.asyncDispose]()
      throw error
    }
  }
  const isDue = async (intervalMilliseconds: number): Promise<boolean> => {
    if (performance.now() - openedAt < Math.min(intervalMilliseconds, settlingMilliseconds)) return false
    const last = await readCollectState(db, scheduleState)
    const startedAt = typeof last === 'object' && last !== null && 'startedAt' in last ? Number(last.startedAt) : 0
    // A clock that was set back must not hold the schedule up.
    return now() - startedAt >= intervalMilliseconds || startedAt > now() + intervalMilliseconds
  }

  return {
    begin: async ({ source, force }) => {
      const document = await sources.read()
      const asked = source === undefined ? enabledOf(document) : onlyOf(document, source)
      const lease = await leases.take(runLease, ending.signal)
      if (!lease) throw serviceError('conflict', 'A run is in progress. Ask again when it has ended.')
      return (await start(lease, asked, force)).task
    },
    runIfDue: async (intervalMilliseconds) => {
      if (ending.signal.aborted || !(await isDue(intervalMilliseconds))) return false
      const asked = enabledOf(await sources.read())
      if (asked.entries.length === 0) return false
      const lease = await leases.take(runLease, ending.signal)
      if (!lease) return false
      if (!(await isDue(intervalMilliseconds))) {
        await lease[Symbol.asyncDispose]()
        return false
      }
      await saveCollectState(db, scheduleState, { startedAt: now() })
      try {
        await (await start(lease, asked, false)).running
      } finally {
        await options.afterScheduled?.(ending.signal)
      }
      return true
    },
    [Symbol.asyncDispose]: async () => {
      ending.abort(new Error('The log service is ending.'))
      await Promise.all(underWay)
    },
  }
}
