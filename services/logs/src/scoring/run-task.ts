import { serviceError } from '@trellis/kit/errors'
import type { HeldLease, Leases } from '@trellis/kit/leases'
import type { Log } from '@trellis/kit/telemetry'
import type { Task } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { Kysely } from 'kysely'
import type { Tasks } from '../ingest/tasks.ts'
import type { Scorer } from './scorer.ts'
import { findNote, noteTask } from './scorer-store.ts'
import type { ScoringTables } from './tables.ts'

export type ScorerRuns = {
  /** Starts a run as a task. Throws `conflict` while a run is in progress on any replica. */
  begin: (scorer: Scorer, range: { since?: number | undefined; until?: number | undefined }) => Promise<Task>
  /** The id of the task of the current run. */
  current: (scorer: Scorer) => Promise<string | null>
}

type Options = {
  db: Kysely<ScoringTables>
  leases: Pick<Leases, 'take' | 'isHeld'>
  tasks: Pick<Tasks, 'begin'>
  signal: AbortSignal
  log: Log
}

const nameOf = (scorer: Scorer) => `${scorer.name}:run`

export const createScorerRuns = ({ db, leases, tasks, signal, log }: Options): ScorerRuns => {
  const follow = async (
    scorer: Scorer,
    range: Parameters<ScorerRuns['begin']>[1],
    held: HeldLease,
    task: Awaited<ReturnType<Tasks['begin']>>,
  ) => {
    try {
      const onProgress = (done: number, total: number) => task.update({ progress: { done, total, unit: 'sources' } })
      const outcome = await scorer.run({ ...range, onProgress }, held.signal)
      await held[Symbol.asyncDispose]()
      await task.finish({
        status: 'done',
        progress: { done: outcome.sources, total: outcome.sources, unit: 'sources' },
      })
    } catch (error) {
      log.error({ scorer: scorer.name, err: error }, 'scoring: run failed')
      await held[Symbol.asyncDispose]()
      await task.finish({
        status: 'failed',
        error: 'Entries could not be scored; the log of the service has the cause. Run it again.',
      })
    }
  }
  return {
    begin: async (scorer, range) => {
      const held = await leases.take(nameOf(scorer), signal)
      if (!held)
        throw serviceError('conflict', `The ${scorer.name} scorer is running already; wait for its task to end.`)
      try {
        const task = await tasks.begin(`${scorer.name}-run`, 'sources')
        await noteTask(db, { name: nameOf(scorer), outcome: task.task.taskId })
        void follow(scorer, range, held, task).catch((error: unknown) =>
          log.error({ err: error }, 'scoring: the end of a run could not be stored'),
        )
        return task.task
      } catch (error) {
        await held[Symbol.asyncDispose]()
        throw error
      }
    },
    current: async (scorer) => {
      const name = nameOf(scorer)
      return (await leases.isHeld(name)) ? ((await findNote(db, name)) ?? null) : null
    },
  }
}
