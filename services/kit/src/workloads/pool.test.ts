import { expect, test } from 'vitest'
import { probeWorker } from '../../../../test/probe/worker-kind.ts'
import { silentLog } from '../telemetry/mod.ts'
import { createPool, type Outcome } from './pool.ts'

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
