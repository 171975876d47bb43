import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryBus } from '@trellis/kit/bus'
import { openStore, sql } from '@trellis/kit/store'
import { expect, test } from 'vitest'
import { logsMigrations } from '../schemas.ts'
import type { TaskTables } from './task-store.ts'
import { createTasks, taskEvents } from './tasks.ts'

/** Processes with tasks in one store. The clock advances by `pass` only. */
const withProcesses = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-tasks-'))
  const bus = createMemoryBus()
  const store = await openStore<TaskTables>({ name: 'logs', dataDirectory: directory, migrations: logsMigrations })
  let time = 1_700_000_000_000
  return {
    bus,
    /** Refuses changes of tasks that exist, like a database that cannot be reached. */
    refuseChanges: () =>
      sql`create trigger refusal before update on log_tasks begin select raise(abort, 'refused'); end`.execute(
        store.db,
      ),
    acceptChanges: () => sql`drop trigger refusal`.execute(store.db),
    pass: (milliseconds: number) => {
      time += milliseconds
    },
    /** `clock` is how far the process's calendar time is ahead of the others'. */
    start: ({ isShared, clock = 0 }: { isShared: boolean; clock?: number }) =>
      createTasks({ db: store.db, bus, now: () => time + clock, isShared, elapsed: () => time }),
    async [Symbol.asyncDispose]() {
      await store.close()
      await bus[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

test('without replicas, a process marks all unfinished tasks as failed', async () => {
  await using dependencies = await withProcesses()
  const { task } = await dependencies.start({ isShared: false }).begin('upload', 'bytes')
  await using next = dependencies.start({ isShared: false })
  await next.recover()
  expect(await next.get(task.taskId)).toMatchObject({ status: 'failed', error: expect.stringContaining('again') })
})

test.each([
  ['upload', /send the file again/],
  ['vacuum', /start the task again/],
])('the error of an interrupted task of kind %s names what to do: %s', async (kind, sentence) => {
  await using dependencies = await withProcesses()
  const { task } = await dependencies.start({ isShared: false }).begin(kind, 'bytes')
  await using next = dependencies.start({ isShared: false })
  await next.recover()
  expect((await next.get(task.taskId))?.error).toMatch(sentence)
})

test('with replicas, only tasks without a heartbeat fail, however wrong the calendar times are', async () => {
  await using dependencies = await withProcesses()
  await using alive = dependencies.start({ isShared: true, clock: -86_400_000 })
  await using other = dependencies.start({ isShared: true })
  const { task: lasting } = await alive.begin('upload', 'bytes')
  // The owner of this task sends no heartbeats.
  const { task: orphan } = await dependencies.start({ isShared: false }).begin('upload', 'bytes')
  const events = dependencies.bus.subscribe(taskEvents(orphan.taskId), { signal: AbortSignal.timeout(60_000) })
  for (let second = 0; second < 29; second++) {
    await alive.beat()
    await other.recover()
    dependencies.pass(1_000)
  }
  expect(await other.get(orphan.taskId)).toMatchObject({ status: 'running' })
  dependencies.pass(2_000)
  await other.recover()
  expect(await other.get(orphan.taskId)).toMatchObject({ status: 'failed' })
  expect(await other.get(lasting.taskId)).toMatchObject({ status: 'running' })
  for await (const delivery of events) {
    expect(delivery).toMatchObject({ event: { taskId: orphan.taskId, status: 'failed' } })
    break
  }
})

test('progress and the end of a task are visible to replicas', async () => {
  await using dependencies = await withProcesses()
  await using one = dependencies.start({ isShared: true })
  await using other = dependencies.start({ isShared: true })
  const running = await one.begin('upload', 'bytes')
  dependencies.pass(1_500)
  running.update({ progress: { done: 7, total: null, unit: 'bytes' } })
  running.update({ progress: { done: 8, total: null, unit: 'bytes' } })
  const taskId = running.task.taskId
  while ((await other.get(taskId))?.progress?.done !== 7) await new Promise(setImmediate)
  await running.finish({ status: 'done' })
  expect(await other.get(taskId)).toMatchObject({ status: 'done', progress: { done: 8 } })
})

test('the end of a task that the store refuses is stored and published when it accepts changes again', async () => {
  await using dependencies = await withProcesses()
  await using one = dependencies.start({ isShared: true })
  await using other = dependencies.start({ isShared: true })
  const running = await one.begin('upload', 'bytes')
  const { taskId } = running.task
  const events = dependencies.bus.subscribe(taskEvents(taskId), { signal: AbortSignal.timeout(60_000) })
  await dependencies.refuseChanges()
  expect(await running.finish({ status: 'done' })).toMatchObject({ status: 'done' })
  expect(await one.get(taskId)).toMatchObject({ status: 'done' })
  expect(await other.get(taskId)).toMatchObject({ status: 'running' })
  await dependencies.acceptChanges()
  await expect.poll(() => other.get(taskId)).toMatchObject({ status: 'done' })
  for await (const delivery of events) {
    expect(delivery).toMatchObject({ event: { taskId, status: 'done' } })
    break
  }
})
