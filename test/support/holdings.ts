import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@trellis/distributed/servers'
import { expect } from 'vitest'
import { type Observation, observe, observedBy } from './observe.ts'
import { form, startTrellis, type Trellis } from './trellis.ts'

/** What may differ between two moments without being lost: caches, kept connections, warm workers. */
const margins = { files: 24, sockets: 48, timers: 32, children: 3, bytes: 96 * 1024 * 1024 }

/** Work that requests began ends by itself within this time. */
const settleMilliseconds = 120_000

/** An installation whose processes can be observed through sockets in the folder `observed`. */
export type ObservedTrellis = { trellis: Trellis; observed: string; metricsPorts: number[] }

/** Starts Trellis in the form of the run so that its processes can be observed. `observed` must have a short name. */
export const startObserved = async (
  observed: string,
  environment: Record<string, string>,
): Promise<ObservedTrellis> => {
  const metricsPort = await freePort()
  const trellis = await startTrellis({
    ...observedBy(observed),
    ...(form === 'embedded' && { METRICS_PORT: String(metricsPort) }),
    ...environment,
  })
  const named = [...trellis.output().matchAll(/metrics on port (\d+)/g)].map(([, port]) => Number(port))
  const seen = await observe(observed)
  if (seen.length <= named.length) {
    await trellis[Symbol.asyncDispose]()
    throw new Error(`Of the launcher and ${named.length} processes only ${seen.length} can be observed.`)
  }
  return { trellis, observed, metricsPorts: form === 'embedded' ? [metricsPort] : named.filter((port) => port > 0) }
}

const metric = (text: string, name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)

const reserved = async (metricsPorts: readonly number[]): Promise<Record<string, number>> => {
  const texts = await Promise.all(
    metricsPorts.map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
  )
  const names = ['trellis_logs_pushed_bytes', 'trellis_logs_spooled_bytes', 'trellis_streams_open']
  return Object.fromEntries(names.map((name) => [name, texts.reduce((sum, text) => sum + metric(text, name), 0)]))
}

/** Files that are being written, in any store of files under the data directory. */
const incoming = async (directory: string): Promise<string[]> =>
  (await readdir(directory, { recursive: true })).filter((path) => /(^|\/)(\.incoming|spool)\//.test(path))

const isTemporary = (file: string) => /\/\.incoming\/|\/spool\//.test(file)

/** What a process holds now and did not before, in words. */
const leftovers = (before: Observation, now: Observation): string[] => {
  const name = now.module.split('/').slice(-3).join('/')
  const more: string[] = []
  const check = (what: string, was: number, is: number, margin: number) => {
    if (is > was + margin) more.push(`${name}: ${what} ${was} -> ${is}`)
  }
  check('open files', before.files.length, now.files.length, margins.files)
  check('sockets', before.sockets, now.sockets, margins.sockets)
  check('children', before.children.length, now.children.length, margins.children)
  check('resident bytes', before.memory.rss, now.memory.rss, margins.bytes)
  for (const [kind, count] of Object.entries(now.resources))
    check(kind, before.resources[kind] ?? 0, count, kind.includes('TCP') ? margins.sockets : margins.timers)
  for (const file of now.files) if (isTemporary(file)) more.push(`${name}: ${file} is open`)
  for (const fault of now.faults) more.push(`${name}: ${fault}`)
  return more
}

/** What keeps the installation from being as it was: empty once it is. */
export const difference = async (
  { trellis, observed, metricsPorts }: ObservedTrellis,
  before: readonly Observation[] | undefined,
): Promise<string[]> => {
  const now = await observe(observed)
  const found = (await incoming(trellis.dataDirectory)).map((path) => `${path} is there`)
  for (const [name, value] of Object.entries(await reserved(metricsPorts)))
    if (value !== 0) found.push(`${name} is ${value}`)
  for (const one of now) found.push(...leftovers(before?.find(({ pid }) => pid === one.pid) ?? one, one))
  for (const { pid, module } of before ?? [])
    if (!now.some((one) => one.pid === pid)) found.push(`process ${pid} (${module}) has ended`)
  return found
}

/** Waits until the installation holds no more than `before`. Fails where it still does after a while. */
export const settle = async (installation: ObservedTrellis, before?: readonly Observation[]): Promise<void> => {
  const limit = Date.now() + settleMilliseconds
  let found = await difference(installation, before)
  for (; found.length > 0 && Date.now() < limit; found = await difference(installation, before)) await sleep(500)
  expect(found, installation.trellis.output().slice(-4_000)).toEqual([])
}
