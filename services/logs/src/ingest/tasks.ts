import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Bus, jsonCodec, topics } from '@trellis/kit/bus'
import type { Task } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { Kysely } from 'kysely'
import {
  beatTasks,
  deleteTasksBefore,
  endSilentTask,
  findTask,
  saveTask,
  type TaskTables,
  unfinishedTasks,
} from './task-store.ts'

/** Progress is told of at most so often, and written for other replicas at most so often. */
const progressMilliseconds = 250
const savedMilliseconds = 1_000
/** The end of a task that could not be told is told again so often, with such pauses. */
const endTries = 100
const endMilliseconds = 3_000
const keptMilliseconds = 7 * 86_400_000
/** An owner gives a sign of life so often; one that gave none for so long is taken for dead. */
const beatMilliseconds = 5_000
const silentMilliseconds = 30_000

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

export type Tasks = AsyncDisposable & {
  begin: (kind: string, unit: string) => Promise<RunningTask>
  get: (taskId: string) => Promise<Task | undefined>
  /**
   * Marks as failed what a stopped process left behind, and forgets what is old. Alone on its store, everything unfinished is; beside
   * replicas, what had no sign of life since it was first seen so, long enough ago by this process's own clock.
   */
  recover: () => Promise<void>
  /** Gives a sign of life for the tasks of this process; beside replicas this happens by itself. */
  beat: () => Promise<void>
}

export type TasksOptions = {
  db: Kysely<TaskTables>
  bus: Bus
  now: () => number
  /** Whether other processes have tasks in the same store. */
  isShared?: boolean
  /** The time by which silence is measured, in milliseconds; it never goes back. */
  elapsed?: () => number
}

const interrupted =
  'The service was stopped before it was done. What had been read is kept; send the file again for the rest.'

/** What takes a while: followed over the bus, kept in rows when it begins and ends and, where replicas are to know, in between. */
export const createTasks = (options: TasksOptions): Tasks => {
  const { db, bus, now, isShared = false, elapsed = () => performance.now() } = options
  const owner = randomUUID()
  const running = new Map<string, Task>()
  const ending = new AbortController()
  const saving = new Set<Promise<unknown>>()
  /** Unfinished tasks of others: how often their owner had beaten when it was last seen to, and when that was. */
  const seen = new Map<string, { beats: number; at: number }>()
  const iso = () => new Date(now()).toISOString()
  const save = (task: Task) =>
    saveTask(db, {
      task_id: task.taskId,
      status: task.status,
      started_at: task.startedAt ?? iso(),
      state: JSON.stringify(task),
      owner,
    })
  const tell = (task: Task) => {
    bus.publish(taskEvents(task.taskId), task).catch(() => undefined)
  }
  /** The end is in the row already, so a bus that is away fails no task; those who follow hear of it when it is back. */
  const tellLater = (task: Task) => {
    const tryAgain = async () => {
      for (let left = endTries; left > 0; left--) {
        await sleep(endMilliseconds, undefined, { signal: ending.signal, ref: false })
        const isTold = await bus.publish(taskEvents(task.taskId), task).then(
          () => true,
          () => false,
        )
        if (isTold) return
      }
    }
    void tryAgain().catch(() => undefined)
  }
  /** A row that is not written is written by the next one; the end is written in any case. */
  const saveAside = (task: Task) => {
    const mine = save(task)
      .catch(() => undefined)
      .finally(() => saving.delete(mine))
    saving.add(mine)
  }
  const isSilent = (taskId: string, beats: number): boolean => {
    const known = seen.get(taskId)
    if (known?.beats === beats) return elapsed() - known.at >= silentMilliseconds
    seen.set(taskId, { beats, at: elapsed() })
    return false
  }
  const recover = async () => {
    await deleteTasksBefore(db, new Date(now() - keptMilliseconds).toISOString())
    const rows = (await unfinishedTasks(db)).filter((row) => !running.has(row.task_id))
    const unfinished = new Set(rows.map((row) => row.task_id))
    for (const taskId of seen.keys()) if (!unfinished.has(taskId)) seen.delete(taskId)
    for (const { task_id, beats, state } of rows) {
      if (isShared && !isSilent(task_id, beats)) continue
      const task: Task = { ...(JSON.parse(state) as Task), status: 'failed', error: interrupted, finishedAt: iso() }
      const ended = await endSilentTask(db, { task_id, beats, status: 'failed', state: JSON.stringify(task) })
      if (ended) tell(task)
    }
  }
  const beat = async () => {
    if (running.size > 0) await beatTasks(db, owner)
  }
  // A store that is away for a moment is asked again by the next round.
  const round = () => void Promise.all([beat(), recover()]).catch(() => undefined)
  const beating = isShared ? setInterval(round, beatMilliseconds) : undefined
  beating?.unref()

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
        skipped: [],
        skippedCount: 0,
      }
      let toldAt = 0
      let savedAt = now()
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
          if (now() - toldAt >= progressMilliseconds) {
            toldAt = now()
            tell(task)
          }
          if (!isShared || now() - savedAt < savedMilliseconds) return
          savedAt = now()
          saveAside(task)
        },
        finish: async (change) => {
          set({ finishedAt: iso(), ...change })
          // After what is on its way, or that would have the last word.
          await Promise.all(saving)
          await save(task)
          running.delete(taskId)
          await bus.publish(taskEvents(taskId), task).catch(() => tellLater(task))
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
    recover,
    beat,
    [Symbol.asyncDispose]: async () => {
      clearInterval(beating)
      ending.abort()
      await Promise.all(saving)
    },
  }
}
