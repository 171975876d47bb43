import { join } from 'node:path'
import { probeWorker } from '@trellis/test/probe/worker-kind'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { silentLog } from '../telemetry/mod.ts'
import { createPool, type Outcome, type Pool } from './pool.ts'

test('a pool that is killed fails its runs, starts no others, and waits until its workers have exited', async () => {
  const pool = createPool({ ...probeWorker, warm: 0 }, { name: 'probe', log: silentLog })
  const started = Promise.withResolvers<string>()
  const ended = Promise.withResolvers<Outcome>()
  const run = {
    runId: 'waiting',
    input: Buffer.from(JSON.stringify({ do: 'wait' })),
    onStarted: started.resolve,
    onProgress: () => undefined,
    onOutput: () => undefined,
    onEnded: ended.resolve,
  }
  pool.run(run)
  const pid = Number(await started.promise)
  expect(process.kill(pid, 0)).toBe(true)
  await pool.kill()
  expect(() => process.kill(pid, 0)).toThrow(/ESRCH/)
  expect(await ended.promise).toMatchObject({ kind: 'failed', failure: { reason: 'ServerStopping' } })
  expect(() => pool.run(run)).toThrow('The server is shutting down.')
  await pool.kill()
})

/** Begins a run that waits; returns the workers that it has had, and its end. */
const beginWaiting = (pool: Pool, runId: string) => {
  const workers: string[] = []
  const ended = Promise.withResolvers<Outcome>()
  pool.run({
    runId,
    input: Buffer.from(JSON.stringify({ do: 'wait' })),
    onStarted: (worker) => workers.push(worker),
    onProgress: () => undefined,
    onOutput: () => undefined,
    onEnded: ended.resolve,
  })
  return { workers, ended: ended.promise }
}

test('runs that follow each other are done by one worker, which has loaded what they need, and not by the idle one beside it', async () => {
  await using opened = new AsyncDisposableStack()
  const pool = createPool({ ...probeWorker, warm: 1 }, { name: 'probe', log: silentLog })
  opened.defer(() => pool.kill())
  // Both workers have started when both have a run.
  const [first, second] = [beginWaiting(pool, 'first'), beginWaiting(pool, 'second')]
  await expect.poll(() => [...first.workers, ...second.workers]).toHaveLength(2)
  for (const runId of ['first', 'second']) pool.cancel(runId)
  await Promise.all([first.ended, second.ended])
  const used: string[] = []
  for (const runId of ['third', 'fourth', 'fifth']) {
    const { workers, ended } = beginWaiting(pool, runId)
    await expect.poll(() => workers).toHaveLength(1)
    pool.cancel(runId)
    await ended
    used.push(...workers)
  }
  expect(new Set(used).size).toBe(1)
})

test('a run whose worker is lost is started once more, and fails when that worker is lost, too', async () => {
  await using opened = new AsyncDisposableStack()
  const pool = createPool({ ...probeWorker, warm: 0 }, { name: 'probe', log: silentLog })
  opened.defer(() => pool.kill())
  const { workers, ended } = beginWaiting(pool, 'lost')
  for (const count of [1, 2]) {
    await expect.poll(() => workers.length).toBe(count)
    process.kill(Number(workers.at(-1)), 'SIGKILL')
  }
  expect(await ended).toMatchObject({
    kind: 'failed',
    failure: { reason: 'WorkerLost', detail: 'The worker was ended by SIGKILL before it was done.' },
  })
  expect(new Set(workers).size).toBe(2)
  expect(pool.counts()).toMatchObject({ running: 0, queued: 0 })
})

/** A pool of two concurrent workers, of which the first ones are killed while they start. */
const losingStarts = (directory: string, lost: number): Pool => {
  const module = new URL('../../../../test/probe/lost-starts-worker.ts', import.meta.url)
  const environment = { COUNT_FILE: join(directory, 'starts'), LOST_STARTS: String(lost) }
  return createPool({ ...probeWorker, module, environment, warm: 0 }, { name: 'probe', log: silentLog })
}

test('queued runs outlive the loss of all workers that are starting', async () => {
  await using opened = new AsyncDisposableStack()
  const { path } = opened.use(await temporaryDirectory())
  const pool = losingStarts(path, 2)
  opened.defer(() => pool.kill())
  const runs = ['first', 'second', 'third'].map((runId) => beginWaiting(pool, runId))
  await expect.poll(() => runs.map(({ workers }) => workers.length)).toEqual([1, 1, 0])
  expect(pool.counts()).toMatchObject({ running: 2, queued: 1 })
})

test('queued runs fail when workers are lost again and again while they start', async () => {
  await using opened = new AsyncDisposableStack()
  const { path } = opened.use(await temporaryDirectory())
  const pool = losingStarts(path, 100)
  opened.defer(() => pool.kill())
  const runs = ['first', 'second', 'third'].map((runId) => beginWaiting(pool, runId))
  for (const { ended } of runs) expect(await ended).toMatchObject({ failure: { reason: 'WorkerLost' } })
  expect(pool.counts()).toMatchObject({ running: 0, queued: 0 })
})

test('a run that was cancelled is not started again when its worker ends', async () => {
  await using opened = new AsyncDisposableStack()
  const pool = createPool({ ...probeWorker, warm: 0 }, { name: 'probe', log: silentLog })
  opened.defer(() => pool.kill())
  const { workers, ended } = beginWaiting(pool, 'cancelled')
  await expect.poll(() => workers.length).toBe(1)
  pool.cancel('cancelled')
  process.kill(Number(workers[0]), 'SIGKILL')
  expect(await ended).toMatchObject({ kind: 'failed', failure: { reason: 'Cancelled' } })
  expect(workers).toHaveLength(1)
})

test('a worker reports on its own run only: its reports on others are ignored', async () => {
  const module = new URL('../../../../test/probe/forging-worker.ts', import.meta.url)
  const pool = createPool({ ...probeWorker, module, warm: 0 }, { name: 'probe', log: silentLog })
  const reported: string[] = []
  const begin = (runId: string, input: string) => {
    const started = Promise.withResolvers<string>()
    const ended = Promise.withResolvers<Outcome>()
    pool.run({
      runId,
      input: Buffer.from(input),
      onStarted: started.resolve,
      onProgress: (_fraction, detail) => reported.push(`${runId} progress ${detail}`),
      onOutput: (message) => reported.push(`${runId} output ${message}`),
      onEnded: ended.resolve,
    })
    return { started: started.promise, ended: ended.promise }
  }
  const victim = begin('victim', '')
  await victim.started
  const forger = begin('forger', 'victim')
  expect(await forger.ended).toMatchObject({ kind: 'completed', result: Buffer.from('own') })
  await pool.kill()
  expect(await victim.ended).toMatchObject({ kind: 'failed', failure: { reason: 'ServerStopping' } })
  expect(reported).toEqual([])
})
