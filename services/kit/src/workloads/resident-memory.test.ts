import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { ProbeTask } from '@trellis/test/probe/task'
import { probeWorker } from '@trellis/test/probe/worker-kind'
import { collect } from '@trellis/test/support/collect'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createMemoryBus } from '../bus/mod.ts'
import { connectInProcess } from '../rpc/mod.ts'
import { silentLog } from '../telemetry/mod.ts'
import { createLocalWorkloads, watchRun } from './mod.ts'
import { descendantsOf, residentMegabytes, watchMemory } from './resident-memory.ts'

const limit = 256

describe.skipIf(process.platform !== 'linux')('physical memory (watched on Linux)', () => {
  test('resident memory is read for a live process, and undefined for a missing one', async () => {
    expect(await residentMegabytes(process.pid)).toBeGreaterThan(20)
    expect(await residentMegabytes(2 ** 30)).toBeUndefined()
  })

  /** Starts a process with a child that allocates this many megabytes outside of its heap. */
  const startParent = async (megabytes: number): Promise<ChildProcess & { pid: number }> => {
    const hoard = `const hoard = Array.from({ length: ${megabytes} }, () => Buffer.alloc(2 ** 20, 1)); process.stdout.write(String(hoard.length)); setInterval(() => hoard, 1000)`
    const parent = `const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(hoard)}], { stdio: ['ignore', 'inherit', 'inherit'] }); process.on('exit', () => child.kill('SIGKILL')); process.on('SIGTERM', () => process.exit(0))`
    const child = spawn(process.execPath, ['-e', parent], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGTERM'))
    await once(child.stdout, 'data')
    if (child.pid === undefined) throw new Error('The process did not start.')
    return Object.assign(child, { pid: child.pid })
  }

  test('memory of child processes counts towards the limit of the tree', async () => {
    const { pid } = await startParent(300)
    const descendants = await descendantsOf(pid)
    expect(descendants).toHaveLength(1)
    const found = await new Promise((resolve) => {
      onTestFinished(watchMemory(pid, { residentMegabytes: 200, treeMegabytes: 300 }, resolve))
    })
    expect(found).toMatchObject({ limitMegabytes: 300, descendants, megabytes: expect.any(Number) })
  })

  test('watching continues after reads that failed for lack of file descriptors', async () => {
    const { pid } = await startParent(1)
    let failures = 3
    const read = async (path: string) => {
      if (path.endsWith('/status') && failures-- > 0)
        throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })
      return readFile(path, 'utf8')
    }
    const found = await new Promise((resolve) => {
      onTestFinished(watchMemory(pid, { residentMegabytes: 10, treeMegabytes: 1_000 }, resolve, read))
    })
    expect(found).toMatchObject({ limitMegabytes: 10 })
    expect(failures).toBeLessThan(0)
  })

  test('a worker is killed together with a child process that exceeds the limit of the tree', async () => {
    await using bus = createMemoryBus()
    await using runtime = createLocalWorkloads({
      bus,
      log: silentLog,
      kinds: { WORKLOAD_SEARCH: { ...probeWorker, warm: 0, residentMegabytes: 512, treeMegabytes: 600 } },
    })
    const client = connectInProcess(WorkloadsServiceDefinition, runtime.handlers)
    const reports = watchRun(bus, { kind: 'search', runId: 'parent' }, new AbortController().signal)
    const input = Buffer.from(JSON.stringify({ do: 'exhaust-in-child', megabytes: 700 } satisfies ProbeTask))
    await client.run({ runId: 'parent', workload: 'WORKLOAD_SEARCH', input, activeDeadlineSeconds: 60, user: 'local' })
    const all = await collect(reports)
    expect(all.at(-1)).toMatchObject({
      $case: 'failed',
      value: { reason: 'OOMKilled', detail: expect.stringContaining('600 MB') },
    })
    const output = all.find(({ $case }) => $case === 'output')
    const pid = Number(output?.$case === 'output' ? Buffer.from(output.value).toString() : 'none')
    expect(pid).toBeGreaterThan(0)
    await expect.poll(() => residentMegabytes(pid)).toBeUndefined()
  })

  test('a worker that exceeds its limit outside of the heap is killed, and the next run completes', async () => {
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
    // More than the limit, and less than would harm the machine if the limit were not enforced.
    expect(await run('greedy', { do: 'exhaust-outside-heap', megabytes: 1_024 })).toMatchObject({
      $case: 'failed',
      value: {
        reason: 'OOMKilled',
        detail: `The worker ran out of memory: it exceeded its limit of ${limit} MB.`,
      },
    })
    expect(await run('modest', { do: 'work', steps: 1 })).toMatchObject({ $case: 'completed' })
  })
})
