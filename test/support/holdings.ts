import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@trellis/distributed/servers'
import { expect } from 'vitest'
import { type Observation, observe, observedBy } from './observe.ts'
import { form, startTrellis, type Trellis } from './trellis.ts'

/** Differences between two snapshots that do not count as leaks. */
export type Margins = {
  files: number
  sockets: number
  timers: number
  children: number
  /** Bytes of physical memory, which allocators return late. */
  bytes: number
  /** Bytes of the JavaScript heap and external memory after garbage collection. */
  heapBytes: number
  /** Open connections to the edges, for those that clients of the test hold open. */
  connections: number
}

/** Margins for an installation whose caches, connections and workers have just become warm. */
export const wideMargins: Margins = {
  files: 24,
  sockets: 48,
  timers: 32,
  children: 3,
  bytes: 96 * 1024 * 1024,
  heapBytes: 96 * 1024 * 1024,
  connections: 64,
}

/** Work started by requests ends by itself within this time. */
const settleMilliseconds = 240_000
const settlePause = 1_000

/** An installation whose processes can be observed through sockets in the folder `observed`. */
export type ObservedTrellis = AsyncDisposable & {
  trellis: Trellis
  observed: string
  metricsPorts: number[]
  /** The installation's folder for temporary files. */
  temporary: string
}

/** A snapshot of the resources of an installation. */
export type Holdings = { processes: Observation[]; temporary: string[] }

/** Starts Trellis in the form of the run with observable processes. The path of the folder `observed` must be short. */
export const startObserved = async (
  observed: string,
  environment: Record<string, string>,
): Promise<ObservedTrellis> => {
  await using stack = new AsyncDisposableStack()
  const temporary = await mkdtemp(join(tmpdir(), 'tmp-'))
  stack.defer(() => rm(temporary, { recursive: true, force: true }))
  const metricsPort = await freePort()
  const trellis = stack.use(
    await startTrellis({
      ...observedBy(observed),
      ...(form === 'embedded' && { METRICS_PORT: String(metricsPort) }),
      TMPDIR: temporary,
      ...environment,
    }),
  )
  const named = [...trellis.output().matchAll(/metrics on port (\d+)/g)].map(([, port]) => Number(port))
  const seen = await observe(observed)
  if (seen.length <= named.length)
    throw new Error(`Only ${seen.length} of the launcher and its ${named.length} processes can be observed.`)
  const metricsPorts = form === 'embedded' ? [metricsPort] : named.filter((port) => port > 0)
  const started = stack.move()
  return { trellis, observed, metricsPorts, temporary, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

export const holdingsOf = async ({ observed, temporary }: ObservedTrellis): Promise<Holdings> => ({
  processes: await observe(observed),
  temporary: await readdir(temporary, { recursive: true }),
})

/** Gauges that are 0 when no request and no work is in progress. */
const released = [
  'trellis_logs_pushed_bytes',
  'trellis_logs_spooled_bytes',
  'trellis_streams_open',
  'trellis_uploads_open',
  'trellis_workload_runs',
]

/** The sum of all series of a metric. */
export const metricSum = (text: string, name: string): number =>
  [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  )

const unreleased = async (metricsPorts: readonly number[], margins: Margins): Promise<string[]> => {
  const texts = await Promise.all(
    metricsPorts.map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
  )
  const sumOf = (name: string) => texts.reduce((sum, text) => sum + metricSum(text, name), 0)
  const connections = sumOf('trellis_connections_open')
  return [
    ...released.flatMap((name) => (sumOf(name) === 0 ? [] : [`${name} is ${sumOf(name)}`])),
    ...(connections > margins.connections ? [`trellis_connections_open is ${connections}`] : []),
  ]
}

/** Incomplete files in any files store under the data directory. */
const incoming = async (directory: string): Promise<string[]> =>
  (await readdir(directory, { recursive: true })).filter((path) => /(^|\/)(\.incoming|spool)\//.test(path))

const isTemporary = (file: string) => /\/\.incoming\/|\/spool\//.test(file)

const heapOf = ({ memory: { heapUsed, external } }: Observation) => heapUsed + external

/** Sentences about resources that a process holds in addition to before. */
const leftovers = (before: Observation, now: Observation, margins: Margins): string[] => {
  const name = now.module.split('/').slice(-3).join('/')
  const more: string[] = []
  const check = (what: string, was: number, is: number, margin: number) => {
    if (is > was + margin) more.push(`${name}: ${what} ${was} -> ${is}`)
  }
  check('open files', before.files.length, now.files.length, margins.files)
  check('sockets', before.sockets, now.sockets, margins.sockets)
  check('children', before.children.length, now.children.length, margins.children)
  check('resident bytes', before.memory.rss, now.memory.rss, margins.bytes)
  check('bytes of the heap', heapOf(before), heapOf(now), margins.heapBytes)
  for (const [kind, count] of Object.entries(now.resources))
    check(kind, before.resources[kind] ?? 0, count, kind.includes('TCP') ? margins.sockets : margins.timers)
  for (const file of now.files) if (isTemporary(file)) more.push(`${name}: ${file} is open`)
  for (const fault of now.faults) more.push(`${name}: ${fault}`)
  return more
}

/** Sentences about resources that the installation holds in addition to before; empty if there are none. */
export const difference = async (
  installation: ObservedTrellis,
  before: Holdings | undefined,
  margins: Margins,
): Promise<string[]> => {
  const { trellis, metricsPorts } = installation
  const found = (await incoming(trellis.dataDirectory)).map((path) => `${path} exists`)
  found.push(...(await unreleased(metricsPorts, margins)))
  // Observing collects garbage, and work in progress holds more, so processes are observed only after it has ended.
  if (found.length > 0) return found
  const now = await holdingsOf(installation)
  for (const one of now.processes) {
    const was = before?.processes.find(({ pid }) => pid === one.pid)
    found.push(...leftovers(was ?? one, one, margins))
  }
  for (const { pid, module } of before?.processes ?? [])
    if (!now.processes.some((one) => one.pid === pid)) found.push(`process ${pid} (${module}) has ended`)
  if (before)
    for (const path of now.temporary)
      if (!before.temporary.includes(path)) found.push(`the temporary file ${path} is left`)
  return found
}

/**
 * Waits until the installation holds no more than `before`; fails after four minutes. `tidy` deletes what requests have created. It runs again
 * before each look, because a request whose client has left may still create something later.
 */
export const settle = async (
  installation: ObservedTrellis,
  before?: Holdings,
  margins: Margins = wideMargins,
  tidy: () => Promise<void> = async () => undefined,
): Promise<void> => {
  const limit = Date.now() + settleMilliseconds
  const look = async () => {
    await tidy()
    return difference(installation, before, margins)
  }
  let found = await look()
  for (; found.length > 0 && Date.now() < limit; found = await look()) await sleep(settlePause)
  expect(found, installation.trellis.output().slice(-4_000)).toEqual([])
}
