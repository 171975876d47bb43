import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { describe, expect, test } from 'vitest'
import type { ProbeTask } from '../../../../test/probe/task.ts'
import { probeWorker } from '../../../../test/probe/worker-kind.ts'
import { collect } from '../../../../test/support/collect.ts'
import { createMemoryBus } from '../bus/mod.ts'
import { connectInProcess } from '../rpc/mod.ts'
import { silentLog } from '../telemetry/mod.ts'
import { createLocalWorkloads, watchRun } from './mod.ts'
import { residentMegabytes } from './resident-memory.ts'

const limit = 256

describe.skipIf(process.platform !== 'linux')('physical memory (watched on Linux)', () => {
  test('a process has some, one that does not exist has none', async () => {
    expect(await residentMegabytes(process.pid)).toBeGreaterThan(20)
    expect(await residentMegabytes(2 ** 30)).toBeUndefined()
  })

  test('a worker that takes too much outside of the heap is killed, and the next run goes well', async () => {
    await using bus = createMemoryBus()
    await using runtime = createLocalWorkloads({
      bus,
      log: silentLog,
      kinds: { WORKLOAD_SEARCH: { ...probeWorker, warm: 0, residentMegabytes: limit } },
    })
    const client = connectInProcess(WorkloadsServiceDefinition, runtime.handlers)
    const run = async (runId: string, task: ProbeTask) => {
      const reports = watchRun(bus, { kind: 'search', runId }, new AbortController().signal)
      const input = Buffer.from(JSON.stringify(task))
      await client.run({ runId, workload: 'WORKLOAD_SEARCH', input, activeDeadlineSeconds: 60, user: 'local' })
      return (await collect(reports)).at(-1)
    }
    // More than the limit, and less than would harm the machine if nothing watched.
    expect(await run('greedy', { do: 'exhaust-outside-heap', megabytes: 1_024 })).toMatchObject({
      $case: 'failed',
      value: {
        reason: 'OOMKilled',
        detail: `The worker ran out of memory: it took more than the ${limit} MB that it may.`,
      },
    })
    expect(await run('modest', { do: 'work', steps: 1 })).toMatchObject({ $case: 'completed' })
  })
})
