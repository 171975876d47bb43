import { randomUUID } from 'node:crypto'
import { type Bus, jsonCodec, topics } from '@trellis/kit/bus'
import type { Task } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { Kysely } from 'kysely'
import { deleteTasksBefore, findTask, saveTask, type TaskTables, unfinishedTasks } from './task-store.ts'

/** Progress is told of at most so often. */
const progressMilliseconds = 250
const keptMilliseconds = 7 * 86_400_000

export const taskEvents = topics({
  family: 'logs.tasks',
  ...jsonCodec<Task>(),
  keep: { events: 50, milliseconds: 3_600_000 },
  coalesceBy: (task: Task) => (task.status === 'running' ? 'progress' : undefined),
})

export type RunningTask = {
  readonly task: Task
  /** Changes what is known, and tells those who follow. */
  update: (change: Partial<Task>) => void
  finish: (change: Partial<Task>) => Promise<Task>
}

export type Tasks = {
  begin: (kind: string, unit: string) => Promise<RunningTask>
  get: (taskId: string) => Promise<Task | undefined>
  /** Marks as failed what a stopped process left behind, and forgets what is old. */
  recover: () => Promise<void>
}

export type TasksOptions = { db: Kysely<TaskTables>; bus: Bus; now: () => number }

/** What takes a while: followed in memory, kept in rows when it begins and ends. */
export const createTasks = ({ db, bus, now }: TasksOptions): Tasks => {
  const running = new Map<string, Task>()
  const iso = () => new Date(now()).toISOString()
  const save = (task: Task) =>
    saveTask(db, {
      task_id: task.taskId,
      status: task.status,
      started_at: task.startedAt ?? iso(),
      state: JSON.stringify(task),
    })

  return {
    begin: async (kind, unit) => {
      const taskId = randomUUID()
      let task: Task = {
        taskId,
        kind,
        status: 'running',
        progress: { done: 0, total: null, unit },
        counts: { lines: 0, entries: 0, duplicates: 0, rejected: 0, multilineJoined: 0 },
        formats: {},
        error: null,
        startedAt: iso(),
        finishedAt: null,
      }
      let toldAt = 0
      const set = (change: Partial<Task>) => {
        task = { ...task, ...change }
        running.set(taskId, task)
      }
      set({})
      await save(task)
      return {
        get task() {
          return task
        },
        update: (change) => {
          set(change)
          if (now() - toldAt < progressMilliseconds) return
          toldAt = now()
          void bus.publish(taskEvents(taskId), task)
        },
        finish: async (change) => {
          set({ finishedAt: iso(), ...change })
          await save(task)
          running.delete(taskId)
          await bus.publish(taskEvents(taskId), task)
          return task
        },
      }
    },
    get: async (taskId) => {
      const known = running.get(taskId)
      if (known) return known
      const row = await findTask(db, taskId)
      return row && (JSON.parse(row.state) as Task)
    },
    recover: async () => {
      await deleteTasksBefore(db, new Date(now() - keptMilliseconds).toISOString())
      for (const row of await unfinishedTasks(db)) {
        const task = JSON.parse(row.state) as Task
        const error =
          'The service was stopped before it was done. What had been read is kept; send the file again for the rest.'
        await save({ ...task, status: 'failed', error, finishedAt: iso() })
      }
    },
  }
}
