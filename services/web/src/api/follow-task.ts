import type { TaskRest } from '@trellis/protos/edge/client.ts'
import { call } from './client.ts'
import { Failure } from './failure.ts'
import { follow } from './stream.ts'

/** Follows a task of the log service until it ends; `onProgress` gets each state. Throws a Failure if the task cannot be read. */
export const followTask = (
  taskId: string,
  onProgress: (task: TaskRest) => void,
  signal?: AbortSignal,
): Promise<TaskRest> =>
  new Promise((resolve, reject) => {
    const path = { task_id: taskId }
    let isOver = false
    const stream = follow(
      'GET /logs/api/tasks/{task_id}/events',
      { path },
      {
        on: {
          progress: onProgress,
          done: (task) => {
            isOver = true
            onProgress(task)
            resolve(task)
          },
        },
        endsWith: ['done'],
        onState: (state) => {
          if (state.kind === 'failed') reject(state.failure)
          // A task that ended while the connection was lost is read once more.
          if (state.kind === 'open' && state.reopened)
            void call('GET /logs/api/tasks/{task_id}', { path }).then(
              // The events that follow are newer than this answer, if it arrives after the last of them.
              (task) => isOver || onProgress(task),
              () => undefined,
            )
        },
      },
    )
    signal?.addEventListener('abort', () => {
      stream.close()
      reject(new DOMException('The page was left.', 'AbortError'))
    })
  })

/** The failure of a task that has ended, if it failed. */
export const taskFailure = (task: TaskRest): Failure | undefined =>
  task.status === 'failed' ? new Failure({ status: 0, detail: task.error ?? 'The task failed.' }) : undefined
