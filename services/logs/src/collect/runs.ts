import { messageOf, serviceError } from '@trellis/kit/errors'
import type { HeldLease, Leases } from '@trellis/kit/leases'
import type { Log } from '@trellis/kit/telemetry'
import type { Task } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { Kysely } from 'kysely'
import type { RunningTask, Tasks } from '../ingest/tasks.ts'
import { createGate } from '../threads/gate.ts'
import { addResults, noResult } from '../threads/upload-result.ts'
import type { StoredResult } from './chunk-writer.ts'
import { type Collected, collectSource, type SourceCollecting } from './collect-source.ts'
import { type CollectStateTables, readCollectState, saveCollectState, saveSourceRun } from './collect-state-store.ts'
import { isOfEntry, type SourceEntry } from './source-entry.ts'
import type { SourceLocks } from './source-locks.ts'
import type { SourcesDocument } from './sources-document.ts'
import type { ConfiguredSources } from './sources-file.ts'
import { isSshFailure } from './ssh/ssh-failure.ts'

export type RunsOptions = {
  db: Kysely<CollectStateTables>
  collecting: SourceCollecting
  sources: ConfiguredSources
  tasks: Pick<Tasks, 'begin'>
  leases: Leases
  locks: SourceLocks
  /** Follows each scheduled run, when other runs may begin again. */
  afterScheduled?: (signal: AbortSignal) => Promise<void>
  now: () => number
  log: Log
}

/** Runs over configured sources, one at a time across all replicas. */
export type Runs = AsyncDisposable & {
  /** Begins a run over all enabled sources, or over one. Throws `conflict` during another run, `not_found` for an id that is not configured. */
  begin: (request: { source?: string | undefined; force: boolean }) => Promise<Task>
  /** Completes the scheduled run if it is due and no other run is in progress; returns whether it did. */
  runIfDue: (intervalMilliseconds: number) => Promise<boolean>
}

/** No scheduled run begins this soon after the start, so that frequent restarts do not cause as many runs. */
const settlingMilliseconds = 60_000
/** The maximum number of hosts that are collected concurrently, so that a host that does not respond does not delay the others. */
const maxHosts = 8
const runLease = 'glean'
const scheduleState = 'schedule'
/** The maximum number of problems of the sources file that a task reports. */
const maxReportedProblems = 10
/** The maximum number of failed sources that a task reports one by one. */
const maxReportedFailures = 10
const emptyResult: StoredResult = { ...noResult, bytes: 0 }

const addStored = (left: StoredResult, right: StoredResult): StoredResult => ({
  ...addResults(left, right),
  bytes: left.bytes + right.bytes,
})

const shown = ({ counts, formats }: StoredResult): Pick<Task, 'counts' | 'formats'> => {
  const { multiline_joined: multilineJoined, ...others } = counts
  return { counts: { ...others, multilineJoined }, formats }
}

const progressOf = (done: number, total: number | null): Task['progress'] => ({ done, total, unit: 'bytes' })

/** The problems of a source for its row; null without problems. */
const errorOf = ({ problems, problemCount }: Collected): string | null => {
  if (problemCount === 0) return null
  const more = problemCount - problems.length
  return `${problems.join(' ')}${more > 0 ? ` And ${more} more.` : ''}`
}

/** The source with an id: its own, else the source of the entries with this source id. */
export const findSource = (entries: readonly SourceEntry[], id: string): SourceEntry | undefined =>
  entries.find((entry) => entry.id === id) ??
  entries
    .filter((entry) => isOfEntry(entry, id))
    .toSorted((a, b) => b.sourceId.length - a.sourceId.length)
    .at(0)

/** The host of a source; sources of the same host are collected one after the other. */
const machineOf = (source: SourceEntry): string => (source.transport === 'local' ? '' : JSON.stringify(source.reach))

type Outcome = { result: StoredResult; failures: string[]; problems: number }

/** The sources of a run, and the problems of the sources file. */
type RunSources = Pick<SourcesDocument, 'entries' | 'problems' | 'isReadable'>

const enabledOf = ({ entries, ...document }: SourcesDocument): RunSources => ({
  ...document,
  entries: entries.filter(({ enabled }) => enabled),
})

/** One valid source, whatever problems others have. Throws `not_found`. */
const onlyOf = ({ entries, problems }: SourcesDocument, id: string): RunSources => {
  const found = findSource(entries, id)
  if (found) return { entries: [found], problems: [], isReadable: true }
  const why = problems.slice(0, maxReportedProblems).map((problem) => ` ${problem}`)
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
    onProgress: (result: StoredResult) => void,
  ): Promise<Collected> => {
    try {
      const collected = await locks.use(source.id, { signal }, (held) =>
        collectSource(collecting, { source, force, signal: held, onProgress }),
      )
      await saveSourceRun(db, { source: source.id, last_glean: iso(), last_error: errorOf(collected) })
      return collected
    } catch (error) {
      // A run that was stopped is no evidence of a problem with its source.
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
    const resultOf = new Map<string, StoredResult>()
    const failureOf = new Map<string, string>()
    let problems = 0
    const total = () => [...resultOf.values()].reduce(addStored, emptyResult)
    const fail = (source: SourceEntry, error: unknown) => {
      log.warn({ source: source.id, error }, 'a source cannot be collected')
      failureOf.set(source.id, `${source.id}: ${messageOf(error)}`)
    }
    /** Returns the failure of the source, if it fails. */
    const collect = async (source: SourceEntry): Promise<unknown> => {
      request.signal.throwIfAborted()
      const show = (own: StoredResult) => {
        resultOf.set(source.id, own)
        const sum = total()
        task.update({ progress: progressOf(sum.bytes, null), ...shown(sum) })
      }
      try {
        const collected = await runSource(source, request, show)
        resultOf.set(source.id, collected.result)
        problems += collected.problemCount
        return undefined
      } catch (error) {
        request.signal.throwIfAborted()
        fail(source, error)
        return error
      }
    }
    const collectLocal = async (sources: readonly SourceEntry[]) => {
      for (const source of sources) await collect(source)
    }
    /** The other sources of a host that cannot be connected to fail, too: each would wait as long. */
    const collectRemote = async (sources: readonly SourceEntry[]) => {
      for (const [index, source] of sources.entries()) {
        const failure = await collect(source)
        if (!isSshFailure(failure, 'connect-timeout')) continue
        for (const other of sources.slice(index + 1)) {
          fail(other, failure)
          await saveSourceRun(db, { source: other.id, last_glean: iso(), last_error: failure.message })
        }
        return
      }
    }
    const hosts = createGate(maxHosts)
    const collectHost = async (sources: readonly SourceEntry[]) => {
      await hosts.enter(1)
      try {
        await collectRemote(sources)
      } finally {
        hosts.leave(1)
      }
    }
    // Sources of this machine do not wait for hosts that do not respond.
    const { local = [], ssh = [] } = Object.groupBy(entries, ({ transport }) => transport)
    const machines = [collectLocal(local), ...[...Map.groupBy(ssh, machineOf).values()].map(collectHost)]
    // All must have ended before the run does, also if one throws because the run is stopped.
    const ended = await Promise.allSettled(machines)
    const stopped = ended.find((result) => result.status === 'rejected')
    if (stopped) throw stopped.reason
    return { result: total(), failures: entries.flatMap(({ id }) => failureOf.get(id) ?? []), problems }
  }
  const finish = (task: RunningTask, sources: RunSources, { result, failures, problems }: Outcome): Promise<Task> => {
    const hasFailed = !sources.isReadable || (failures.length > 0 && failures.length === sources.entries.length)
    const notes = [
      ...sources.problems.slice(0, maxReportedProblems),
      ...failures.slice(0, maxReportedFailures),
      ...(failures.length > maxReportedFailures
        ? [`${failures.length - maxReportedFailures} more sources could not be collected.`]
        : []),
      ...(problems > 0
        ? [`Some of it could not be read (${problems}): see the last errors of the configured sources.`]
        : []),
    ]
    return task.finish({
      status: hasFailed ? 'failed' : 'done',
      progress: progressOf(result.bytes, result.bytes),
      ...shown(result),
      error: notes.length === 0 ? null : notes.join(' '),
    })
  }
  /** Completes a run that holds its lease. */
  const run = async (lease: HeldLease, task: RunningTask, sources: RunSources, force: boolean) => {
    await using _held = lease
    try {
      return await finish(task, sources, await runAll(sources.entries, { force, signal: lease.signal }, task))
    } catch (error) {
      const why = lease.signal.aborted
        ? 'The run was stopped. What it had read is stored; run it again for the rest.'
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
  /** Starts a run; returns its task and its promise. Releases the lease if the run cannot be started. */
  const start = async (lease: HeldLease, sources: RunSources, force: boolean) => {
    try {
      const task = await tasks.begin('glean', 'bytes')
      const first = task.task
      const running = own(run(lease, task, sources, force))
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
    // A clock that was set back must not delay the schedule.
    return now() - startedAt >= intervalMilliseconds || startedAt > now() + intervalMilliseconds
  }

  return {
    begin: async ({ source, force }) => {
      const document = await sources.read()
      const selected = source === undefined ? enabledOf(document) : onlyOf(document, source)
      const lease = await leases.take(runLease, ending.signal)
      if (!lease) throw serviceError('conflict', 'A run is in progress. Try again when it has ended.')
      return (await start(lease, selected, force)).task
    },
    runIfDue: async (intervalMilliseconds) => {
      if (ending.signal.aborted || !(await isDue(intervalMilliseconds))) return false
      const selected = enabledOf(await sources.read())
      if (selected.entries.length === 0) return false
      const lease = await leases.take(runLease, ending.signal)
      if (!lease) return false
      if (!(await isDue(intervalMilliseconds))) {
        await lease[Symbol.asyncDispose]()
        return false
      }
      await saveCollectState(db, scheduleState, { startedAt: now() })
      try {
        await (await start(lease, selected, false)).running
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
