import { type Rounds, startRounds } from '@trellis/kit/lifecycle'
import { backoff } from '@trellis/kit/retry'
import type { Dependencies } from '../dependencies.ts'
import type { Erasure, Person } from '../erasure/person.ts'
import { moreIdentifiers } from '../sellers/erase.ts'
import { claimDeletion, type DeletionRow, deleteCompletedBefore, dueDeletions, updateDeletion } from './store.ts'

const hour = 3_600_000

const limits = {
  perRound: 20,
  /** After this, another replica continues the work of one that died. */
  claimMilliseconds: 10 * 60_000,
  /** Without jitter: one replica at a time works on a deletion. */
  backoff: { initial: 30_000, max: 6 * hour, jitter: 0 },
  /** How long records of completed deletions are retained. */
  retentionMilliseconds: 2 * 365 * 24 * hour,
}

/** The second pass deletes what searches that were under way, or cached pages, have stored since the first. */
const passes = { count: 2, pauseMilliseconds: hour }

type Counts = Readonly<Record<string, number>>

export type DeletionsOptions = Pick<Dependencies, 'db' | 'config' | 'log' | 'now' | 'signal'> & {
  readonly erasures: readonly Erasure[]
  readonly roundMilliseconds?: number
}

/**
 * Deletes what is stored about the holders of deleted accounts. Each notification is a row, which one replica at a time has claimed:
 * if it dies, another repeats the deletion, which is idempotent. A failure of one store is retried until it succeeds, and does not
 * prevent the deletion from the others.
 */
export const openDeletions = (options: DeletionsOptions): Rounds => {
  const { db, config, log, now, signal, erasures, roundMilliseconds = 5_000 } = options

  /** The person, with the identifiers that the records of sellers add; they are stored first, because those records are deleted. */
  const identify = async (row: DeletionRow): Promise<Person> => {
    const received = JSON.parse(row.identifiers_json ?? '[]') as string[]
    const person = { platform: config.platform, identifiers: received }
    const identifiers = [...new Set([...received, ...(await moreIdentifiers(db, person))])]
    if (identifiers.length > received.length)
      await updateDeletion(db, row, { identifiers_json: JSON.stringify(identifiers) })
    return { ...person, identifiers }
  }
  const eraseAll = async (person: Person): Promise<{ readonly counts: Counts; readonly failures: Error[] }> => {
    const counts: Record<string, number> = {}
    const failures: Error[] = []
    for (const { name, erase } of erasures) {
      signal.throwIfAborted()
      try {
        counts[name] = await erase({ db, config, log, now }, person)
      } catch (cause) {
        failures.push(new Error(`Deletion of ${name} failed.`, { cause }))
      }
    }
    return { counts, failures }
  }
  const conclusionOf = (row: DeletionRow, counts: Counts, failures: readonly Error[]): Partial<DeletionRow> => {
    const before = JSON.parse(row.erased_json) as Counts
    const sums = Object.entries(counts).map(([name, count]) => [name, (before[name] ?? 0) + count] as const)
    const common = { erased_json: JSON.stringify({ ...before, ...Object.fromEntries(sums) }), claimed_until: 0 }
    const time = now().getTime()
    if (failures.length > 0) return { ...common, next_attempt_at: time + backoff(row.attempts, limits.backoff) }
    if (row.passes + 1 < passes.count)
      return { ...common, passes: row.passes + 1, attempts: 0, next_attempt_at: time + passes.pauseMilliseconds }
    const completed = { identifiers_json: null, next_attempt_at: null, completed_at: now().toISOString() }
    return { ...common, ...completed, passes: row.passes + 1 }
  }
  const process = async (id: string): Promise<void> => {
    const time = now().getTime()
    const row = await claimDeletion(db, { id, now: time, until: time + limits.claimMilliseconds })
    if (row === undefined) return
    const { counts, failures } = await eraseAll(await identify(row))
    const conclusion = conclusionOf(row, counts, failures)
    await updateDeletion(db, row, conclusion)
    const context = { notificationId: id, pass: row.passes + 1, erased: counts }
    if (failures.length > 0)
      log.error(
        { ...context, err: new AggregateError(failures, 'Some stores failed.') },
        'account deletion: incomplete; it is retried',
      )
    else log.info(context, 'account deletion: data deleted')
    if (conclusion.completed_at) await deleteCompletedBefore(db, new Date(time - limits.retentionMilliseconds))
  }
  const round = async (): Promise<void> => {
    for (;;) {
      const ids = await dueDeletions(db, now().getTime(), limits.perRound)
      for (const id of ids) {
        if (signal.aborted) return
        await process(id)
      }
      if (ids.length < limits.perRound) return
    }
  }
  return startRounds({
    milliseconds: roundMilliseconds,
    signal,
    round,
    onFailure: (error) => log.warn({ err: error }, 'account deletion: round failed; it is repeated'),
  })
}
