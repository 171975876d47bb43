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

/** Minimum times between two publications of a task's progress, and between two writes of it for other replicas. */
const progressMilliseconds = 250
const savedMilliseconds = 1_000
/** Storing or publishing a final state is retried this often, with such pauses. */
const endTries = 100
const endMilliseconds = 3_000
const retentionMilliseconds = 7 * 86_400_000
/** The interval of heartbeats, and the silence after which an owner is considered dead. */
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
  /** Changes the state of the task and notifies its subscribers. */
  update: (change: Partial<Task>) => void
  /** Ends the task. Where the store or the bus is unavailable, the final state is stored and published when it is back. */
  finish: (change: Partial<Task>) => Promise<Task>
}

export type Tasks = AsyncDisposable & {
  begin: (kind: string, unit: string) => Promise<RunningTask>
  get: (taskId: string) => Promise<Task | undefined>
  /**
   * Marks tasks of dead processes as failed and deletes old tasks. Without replicas, every unfinished task belongs to a dead process; with
   * replicas, those do whose heartbeat has not changed for `silentMilliseconds` of this process's own clock.
   */
  recover: () => Promise<void>
  /** Sends a heartbeat for the tasks of this process; with replicas this happens periodically. */
  beat: () => Promise<void>
}

export type TasksOptions = {
  db: Kysely<TaskTables>
  bus: Bus
  now: () => number
  /** Whether other processes have tasks in the same store. */
  isShared?: boolean
  /** A monotonic clock in milliseconds, by which silence is measured. */
  elapsed?: () => number
}

/** Why a task of a dead process failed, and what to do: only uploads have a file to send. */
const interruptionOf = ({ kind }: Task): string =>
  kind === 'upload'
    ? 'The service stopped before the task ended. What was read before is stored; send the file again for the rest.'
    : 'The service stopped before the task ended. What it had done is stored; start the task again for the rest.'

/** Long-running tasks. They are published over the bus and stored when they begin and end and, with replicas, periodically in between. */
export const createTasks = (options: TasksOptions): Tasks => {
  const { db, bus, now, isShared = false, elapsed = () => performance.now() } = options
  const owner = randomUUID()
  const running = new Map<string, Task>()
  const ending = new AbortController()
  const saving = new Set<Promise<unknown>>()
  /** Unfinished tasks of other processes: the last heartbeat count, and when this process first read it. */
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
  const publish = (task: Task) => {
    bus.publish(taskEvents(task.taskId), task).catch(() => undefined)
  }
  /** Repeats an attempt in the background until it succeeds, its tries are used up, or the tasks are disposed of. */
  const repeatLater = async (attempt: () => Promise<unknown>): Promise<void> => {
    for (let left = endTries; left > 0; left--) {
      await sleep(endMilliseconds, undefined, { signal: ending.signal, ref: false })
      const hasSucceeded = await attempt().then(
        () => true,
        () => false,
      )
      if (hasSucceeded) return
    }
  }
  const publishEnd = async (task: Task): Promise<void> => {
    const attempt = () => bus.publish(taskEvents(task.taskId), task)
    await attempt().catch(() => void repeatLater(attempt).catch(() => undefined))
  }
  /**
   * The task remains known to this process until its end is stored, and sends heartbeats, so that no other process reports it as failed. If it cannot be
   * stored for minutes, the heartbeats end, so that the task does not run for ever.
   */
  const storeEndLater = async (task: Task): Promise<void> => {
    try {
      await repeatLater(() => save(task))
    } finally {
      running.delete(task.taskId)
    }
    await publishEnd(task)
  }
  /** Saves without waiting. A row that fails to be written is replaced by the next write; the final state is always written. */
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
    await deleteTasksBefore(db, new Date(now() - retentionMilliseconds).toISOString())
    const rows = (await unfinishedTasks(db)).filter((row) => !running.has(row.task_id))
    const unfinished = new Set(rows.map((row) => row.task_id))
    for (const taskId of seen.keys()) if (!unfinished.has(taskId)) seen.delete(taskId)
    for (const { task_id, beats, state } of rows) {
      if (isShared && !isSilent(task_id, beats)) continue
      const read = JSON.parse(state) as Task
      const task: Task = { ...read, status: 'failed', error: interruptionOf(read), finishedAt: iso() }
      const ended = await endSilentTask(db, { task_id, beats, status: 'failed', state: JSON.stringify(task) })
      if (ended) publish(task)
    }
  }
  const beat = async () => {
    if (running.size > 0) await beatTasks(db, owner)
  }
  // If the store is unavailable, the next round tries again.
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
      let publishedAt = 0
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
          if (now() - publishedAt >= progressMilliseconds) {
            publishedAt = now()
            publish(task)
          }
          if (!isShared || now() - savedAt < savedMilliseconds) return
          savedAt = now()
          saveAside(task)
        },
        finish: async (change) => {
          set({ finishedAt: iso(), ...change })
          // Pending writes of earlier states end first; otherwise they would overwrite the final state.
          await Promise.all(saving)
          const isStored = await save(task).then(
            () => true,
            () => false,
          )
          if (isStored) {
            running.delete(taskId)
            await publishEnd(task)
          } else void storeEndLater(task).catch(() => undefined)
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
