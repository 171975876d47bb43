import { messageOf, serviceError } from '@trellis/kit/errors'
import type { Task } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { Tasks } from '../ingest/tasks.ts'
import type { RetentionSweeper } from './retention-sweeper.ts'

const another = 'Another vacuum is running; its task reports the progress.'

/** Reclaims disk space as a task, one at a time. */
export const createVacuum = ({ tasks, sweeper }: { tasks: Tasks; sweeper: Pick<RetentionSweeper, 'sweep'> }) => {
  let running: Promise<unknown> | undefined
  const work = async (): Promise<Partial<Task>> => {
    try {
      const freed = await sweeper.sweep(true)
      return freed ? { status: 'done', freed } : { status: 'failed', error: another }
    } catch (error) {
      return { status: 'failed', error: messageOf(error) }
    }
  }
  return {
    /**
     * Starts a vacuum and returns its task. Throws `conflict` while one runs in this process; while one runs on another replica the task fails.
     */
    begin: async (): Promise<Task> => {
      if (running !== undefined) throw serviceError('conflict', another)
      const begun = Promise.withResolvers<void>()
      running = begun.promise
      try {
        const task = await tasks.begin('vacuum', 'segments')
        void work()
          .then((end) => task.finish(end))
          .catch(() => undefined)
          .finally(() => {
            running = undefined
            begun.resolve()
          })
        return task.task
      } catch (error) {
        running = undefined
        begun.resolve()
        throw error
      }
    },
    /** Resolves when no vacuum runs. */
    settled: async () => {
      await running
    },
  }
}
export type Vacuum = ReturnType<typeof createVacuum>
