import { databases } from '@trellis/test/support/databases'
import { describe, expect, test } from 'vitest'
import { useEmptyTables } from '../../test/empty-tables.ts'
import {
  endTask,
  hasTasks,
  maxQueued,
  type NewTask,
  parametersOf,
  queueTasks,
  requeueRunning,
  startNext,
  type TaskRow,
  type TaskStage,
} from './tasks.ts'

const now = new Date('2026-06-15T12:00:00Z')
const task = (jobId: number, stage: TaskStage = 'hash'): NewTask => ({
  jobId,
  stage,
  parameters: { photo_url: `https://images.test/${jobId}.jpg`, listing_title: 'Camera', user_id: 'ada' },
})

describe.each(databases)('photo tasks on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('of all users', () => {
    const tables = useEmptyTables(start)

    const queue = (...tasks: readonly NewTask[]) => queueTasks(tables.db, tasks, now)
    const startOne = async (stage: TaskStage = 'hash'): Promise<TaskRow> => {
      const started = await startNext(tables.db, stage, now)
      if (started === undefined) throw new Error('No task is queued.')
      return started
    }
    const rows = () =>
      tables.db.selectFrom('background_tasks').select(['job_id', 'status', 'stage', 'error']).orderBy('id').execute()

    test('are started in the order in which they were queued, with the parameters of the spec', async () => {
      await queue(task(3), task(1))
      await queue(task(2))
      const started = [await startOne(), await startOne(), await startOne()]
      expect(started.map(({ job_id, status, task_type }) => [job_id, status, task_type])).toEqual(
        [3, 1, 2].map((id) => [id, 'running', 'trust_photo_analysis']),
      )
      expect(started.slice(0, 1).map(parametersOf)).toEqual([task(3).parameters])
      expect(await startNext(tables.db, 'hash', now)).toBeUndefined()
    })

    test('that are queued or running are not queued again, those that ended are', async () => {
      await queue(task(1), task(2), task(3))
      const first = await startOne()
      await endTask(tables.db, await startOne(), { status: 'failed', error: 'The marketplace refused.' }, now)
      expect(await queue(task(1), task(2), task(3))).toEqual({ active: [1, 3, 2], dropped: 0 })
      expect(await rows()).toEqual([
        { job_id: 1, status: 'running', stage: 'hash', error: null },
        { job_id: 3, status: 'queued', stage: 'hash', error: null },
        { job_id: 2, status: 'queued', stage: 'hash', error: null },
      ])
      await endTask(tables.db, first, { status: 'completed' }, now)
      expect((await queue(task(1))).active).toEqual([1])
    })

    test('are queued once by searches of several replicas', async () => {
      const many = Array.from({ length: 20 }, (_, id) => task(id))
      await Promise.all([1, 2, 3].map(() => queue(...many)))
      expect((await rows()).map(({ job_id }) => job_id)).toEqual(many.map(({ jobId }) => jobId))
    })

    test(`beyond ${maxQueued} queued ones are dropped`, async () => {
      const many = Array.from({ length: maxQueued - 1 }, (_, id) => task(id))
      expect(await queue(...many)).toMatchObject({ dropped: 0 })
      expect(await queue(task(0), task(9_001), task(9_002), task(9_003))).toEqual({ active: [0, 9_001], dropped: 2 })
      await startOne()
      expect(await queue(task(9_002), task(9_003))).toEqual({ active: [9_002], dropped: 1 })
    })

    test('of a worker that died are taken up again in their places, and fail when that happens too often', async () => {
      await queue(task(1), task(2))
      for (let attempt = 1; attempt <= 3; attempt++) {
        expect((await startOne()).job_id).toBe(1)
        expect(await hasTasks(tables.db, 'hash')).toBe(true)
        expect(await requeueRunning(tables.db, 'hash', now)).toBe(attempt < 3 ? 1 : 0)
      }
      expect(await rows()).toEqual([
        { job_id: 1, status: 'failed', stage: 'hash', error: 'The task was interrupted too often.' },
        { job_id: 2, status: 'queued', stage: 'hash', error: null },
      ])
    })

    test('have two stages, each with its own order', async () => {
      await queue(task(1), task(2, 'vision'), task(3))
      await endTask(tables.db, await startOne(), { status: 'queued', stage: 'vision' }, now)
      expect((await startOne('vision')).job_id).toBe(1)
      expect((await startOne('vision')).job_id).toBe(2)
      expect(await requeueRunning(tables.db, 'hash', now)).toBe(0)
      expect((await startOne('hash')).job_id).toBe(3)
    })

    test('that another worker has taken over are not ended by the first', async () => {
      await queue(task(1))
      const first = await startOne()
      await requeueRunning(tables.db, 'hash', now)
      const second = await startOne()
      await endTask(tables.db, first, { status: 'failed', error: 'late' }, now)
      expect(await rows()).toMatchObject([{ status: 'running' }])
      await endTask(tables.db, second, { status: 'completed' }, now)
      expect(await rows()).toMatchObject([{ status: 'completed', error: null }])
    })
  })
})
