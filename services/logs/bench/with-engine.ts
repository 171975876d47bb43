import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryBus } from '@trellis/kit/bus'
import { readConfig } from '@trellis/kit/config'
import { openStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { logsConfig } from '../src/config.ts'
import { openEngine } from '../src/open-engine.ts'
import { logsMigrations } from '../src/schemas.ts'

/** Runs work with an engine on a temporary folder. */
export const withEngine = async <Value>(
  work: (engine: Awaited<ReturnType<typeof openEngine>>['engine']) => Promise<Value>,
) => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-bench-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const store = await openStore<never>({ name: 'logs', dataDirectory: directory, migrations: logsMigrations })
  stack.defer(() => store.close())
  const bus = stack.use(createMemoryBus())
  const opened = await openEngine(
    { config: readConfig(logsConfig, {}), dataDirectory: directory, bus, log: silentLog },
    store as never,
  )
  stack.use(opened)
  return await work(opened.engine)
}
