import { messageOf, serviceError } from '@trellis/kit/errors'
import type { Task } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { Tasks } from '../ingest/tasks.ts'
import type { Keeping } from './keeping.ts'

const another = 'Room is being given back already; its task says how far that is.'

/** Gives room back as a task of its own, one at a time. */
export const createVacuum = ({ tasks, keeping }: { tasks: Tasks; keeping: Pick<Keeping, 'look'> }) => {
  let running: Promise<unknown> | undefined
  const work = async (): Promise<Partial<Task>> => {
    try {
      const freed = await keeping.look(true)
      return freed ? { status: 'done', freed } : { status: 'failed', error: another }
    } catch (error) {
      return { status: 'failed', error: messageOf(error) }
    }
  }
  return {
    /** Begins, and gives the task. Throws `conflict` while one runs here; one of another replica makes the task fail. */
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
    /** Resolves when none runs. */
    settled: async () => {
      await running
    },
  }
}
export type Vacuum = ReturnType<typeof createVacuum>
