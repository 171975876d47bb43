import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import { composeTrellis } from '../../services/all-in-one/src/compose.ts'
import { readAllConfig } from '../../services/all-in-one/src/config.ts'
import { serveBroadcast } from '../probe/broadcast.ts'
import { round } from './machine.ts'

/** Holds streams open, and reads them, in a separate process. */
export const holdStreams = async (url: string, clients: number): Promise<AsyncDisposable> => {
  const script = fileURLToPath(new URL('./hold.ts', import.meta.url))
  const child = spawn(process.execPath, [script, url, String(clients)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const ended = exited.then(([code]) => Promise.reject(new Error(`The clients ended with ${code}.`)))
  ended.catch(() => undefined)
  await Promise.race([once(child.stdout, 'data'), ended])
  return {
    async [Symbol.asyncDispose]() {
      child.kill()
      await exited
    },
  }
}

/** Memory in use by this process after full garbage collections. */
const measureMemory = async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let time = 0; time < 4; time += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    collect()
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heapUsed, external, rss }
}

export type StreamCost = { heap: number; external: number; resident: number }

/** Kilobytes of this process per idle stream. The first hundred streams are not counted, because they include one-time allocations. */
export const costOfStreams = async (url: string, clients: number): Promise<StreamCost> => {
  await using _first = await holdStreams(url, 100)
  const before = await measureMemory()
  await using _all = await holdStreams(url, clients)
  const after = await measureMemory()
  const kilobytes = (key: keyof typeof before) => (after[key] - before[key]) / clients / 1024
  return { heap: kilobytes('heapUsed'), external: kilobytes('external'), resident: kilobytes('rss') }
}

/** Leaves out the resident memory, because the second measurement reuses pages of the first. */
const line = (name: string, { heap, external }: StreamCost) =>
  `  ${name.padEnd(40)} ${round(heap, 1).padStart(6)} KB of heap  ${round(external, 1).padStart(6)} KB outside it`

/** Starts the embedded form on an empty data directory in this process. */
export const serveEmbedded = async () => {
  await using opened = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'trellis-bench-'))
  opened.defer(() => rm(directory, { recursive: true, force: true }))
  const { edge } = opened.use(
    await composeTrellis(
      readAllConfig({ TRELLIS_DATA_DIR: directory, RATE_LIMIT: '0', MAX_STREAMS_PER_ADDRESS: '0' }),
      {
        log: silentLog,
        metrics: createMetrics(),
      },
    ),
  )
  const origin = await edge.listen('127.0.0.1', 0)
  const stack = opened.move()
  return { origin, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** Measures the memory of idle streams: one that involves only the edge, and a log tail. */
export const benchIdleStreams = async (): Promise<string[]> => {
  const clients = 2_000
  const lines = [`${clients} idle streams, memory of the serving process per stream after garbage collection:`]
  {
    const served = await serveBroadcast({ retained: 10 })
    lines.push(
      line('GET /probe/api/count', await costOfStreams(`${served.origin}/probe/api/count?behaviour=follow`, clients)),
    )
    await served.close()
  }
  await using served = await serveEmbedded()
  lines.push(line('GET /logs/api/tail', await costOfStreams(`${served.origin}/logs/api/tail`, clients)))
  return lines
}
