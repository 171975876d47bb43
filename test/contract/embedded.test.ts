import { createMemoryBus } from '@trellis/kit/bus'
import { openDirectoryFiles } from '@trellis/kit/files'
import { connectInProcess } from '@trellis/kit/rpc'
import { openStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { createLocalWorkloads, watchRun } from '@trellis/kit/workloads'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { expect, test } from 'vitest'
import { probeWorker } from '../probe/worker-kind.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { busContract } from './ports/bus.ts'
import { filesContract } from './ports/files.ts'
import { storeContract } from './ports/store.ts'
import { workloadsContract } from './ports/workloads.ts'

busContract('in memory', async () => createMemoryBus())

for (const [name, blocking] of [
  ['in a directory', false],
  ['in a directory with blocking reads', true],
] as const) {
  filesContract(name, async () => {
    const directory = await temporaryDirectory()
    const files = await openDirectoryFiles(directory.path, { blocking })
    return { files, [Symbol.asyncDispose]: directory[Symbol.asyncDispose] }
  })
}

storeContract('on SQLite', async () => {
  const directory = await temporaryDirectory()
  return {
    open: (migrations) => openStore({ name: 'things', dataDirectory: directory.path, migrations }),
    [Symbol.asyncDispose]: directory[Symbol.asyncDispose],
  }
})

workloadsContract('as child processes', async () => {
  const bus = createMemoryBus()
  const runtime = createLocalWorkloads({ bus, kinds: { WORKLOAD_SEARCH: probeWorker }, log: silentLog })
  return {
    bus,
    workloads: connectInProcess(WorkloadsServiceDefinition, runtime.handlers),
    [Symbol.asyncDispose]: async () => {
      await runtime[Symbol.asyncDispose]()
      await bus[Symbol.asyncDispose]()
    },
  }
})

test('a cancelled run is not logged as an error', async () => {
  const logged: unknown[] = []
  await using bus = createMemoryBus()
  const log = {
    ...silentLog,
    error: (...values: unknown[]) => void logged.push(values),
    child: () => log,
  } as typeof silentLog
  await using runtime = createLocalWorkloads({ bus, kinds: { WORKLOAD_SEARCH: probeWorker }, log })
  const workloads = connectInProcess(WorkloadsServiceDefinition, runtime.handlers)
  const runId = 'cancelled'
  const reports = watchRun(bus, { kind: 'search', runId }, new AbortController().signal)
  const input = Buffer.from(JSON.stringify({ do: 'pace', steps: 1, milliseconds: 60_000 }))
  await workloads.run({ runId, workload: 'WORKLOAD_SEARCH', input, activeDeadlineSeconds: 60, user: 'local' })
  for await (const report of reports) {
    if (report.$case === 'started') await workloads.cancel({ runId })
    if (report.$case === 'failed') break
  }
  expect(logged).toEqual([])
})
