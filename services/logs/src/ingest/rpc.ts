import { serviceError } from '@trellis/kit/errors'
import { type Handlers, readUpload } from '@trellis/kit/rpc'
import type { LogsServiceDefinition, Task } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { Dependencies } from '../dependencies.ts'
import { type Intake, receiveBatch } from './glean-batch.ts'
import { taskEvents } from './tasks.ts'
import { receiveUpload } from './upload.ts'

type IngestHandlers = Pick<Handlers<typeof LogsServiceDefinition>, 'upload' | 'getTask' | 'watchTask' | 'gleanBatch'>

/** The handler of pushed batches, shared by the logs service and branches. */
export const gleanBatchRpc =
  (intake: Intake): Handlers<typeof LogsServiceDefinition>['gleanBatch'] =>
  async (messages) => {
    const { parameters, parts } = await readUpload(messages)
    for await (const part of parts) {
      // Awaited here because leaving the loop cancels the body, which continues after the first chunk.
      if (part.kind === 'file') return await receiveBatch(intake, parameters, part.content)
    }
    throw serviceError('malformed', 'The body is empty: send {"source_id": ..., "entries": [...]} or one entry a line.')
  }

const isOver = (task: Task) => task.status === 'done' || task.status === 'failed'

export const ingestRpc = (dependencies: Dependencies): IngestHandlers => ({
  upload: async (messages, call) => {
    const { parameters, parts } = await readUpload(messages)
    const { task, finished } = await receiveUpload(dependencies, parameters, parts)
    if (!parameters.wait) return task
    call.head.status(200)
    return finished
  },
  getTask: async ({ taskId }) => {
    const task = await dependencies.tasks.get(taskId)
    if (!task) throw serviceError('not_found', `There is no task "${taskId}".`)
    return task
  },
  async *watchTask({ taskId, lastEventId }, { signal }) {
    const known = await dependencies.tasks.get(taskId)
    if (!known) throw serviceError('not_found', `There is no task "${taskId}".`)
    const cursor = lastEventId && /^\d+$/.test(lastEventId) ? lastEventId : undefined
    const after = cursor === undefined ? 'latest' : Number(cursor)
    const events = dependencies.bus.subscribe(taskEvents(taskId), { after, signal })
    // Read again after subscribing, so that an end in between is not missed.
    const task = (await dependencies.tasks.get(taskId)) ?? known
    // The current state has no sequence among the events: a client that resumes from its id receives all retained events again.
    yield { eventId: cursor ?? '0', event: { $case: isOver(task) ? 'done' : 'progress', value: task } }
    if (isOver(task)) return
    for await (const delivery of events) {
      if (delivery.kind === 'gap') continue
      const over = isOver(delivery.event)
      yield { eventId: String(delivery.sequence), event: { $case: over ? 'done' : 'progress', value: delivery.event } }
      if (over) return
    }
  },
  gleanBatch: gleanBatchRpc(dependencies),
})
