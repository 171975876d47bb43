import { readdirSync, readFileSync } from 'node:fs'
import { createMemoryBus } from '@trellis/kit/bus'
import { readConfig } from '@trellis/kit/config'
import { connectInProcess, type Handlers } from '@trellis/kit/rpc'
import { silentLog } from '@trellis/kit/telemetry'
import { createLocalWorkloads, streamRun } from '@trellis/kit/workloads'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { chromiumMissing, chromiumOptions } from '@trellis/test/support/chromium'
import { describe, expect, test } from 'vitest'
import { listingsConfig } from '../config.ts'
import { startDemoMarketplace } from '../marketplace/demo/server.ts'
import { searchWorker } from './kind.ts'
import { decodeOutput, encodeMessage } from './messages.ts'

/** Chromium processes among the descendants of this process. */
const browserProcesses = (): readonly number[] => {
  const all = readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return [{ pid: Number(name), parent: Number(parent), command: readFileSync(`/proc/${name}/cmdline`, 'utf8') }]
    } catch {
      return []
    }
  })
  const below = (pid: number): typeof all =>
    all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...below(child.pid)])
  return below(process.pid)
    .filter(({ command }) => command.includes('--remote-debugging-pipe'))
    .map(({ pid }) => pid)
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe.skipIf(chromiumMissing !== '')(`a search worker with a browser ${chromiumMissing}`, () => {
  test('finds content that only scripts show, and ends its browser when it exits', async () => {
    await using stack = new AsyncDisposableStack()
    const demo = await startDemoMarketplace({ isScripted: true })
    stack.defer(demo.close)
    const config = readConfig(listingsConfig, {
      LISTINGS_CHROMIUM: chromiumOptions.executable,
      LISTINGS_CHROMIUM_SANDBOX: chromiumOptions.hasSandbox ? '1' : '0',
    })
    const bus = stack.use(createMemoryBus())
    const runtime = createLocalWorkloads({ bus, kinds: { WORKLOAD_SEARCH: searchWorker(config) }, log: silentLog })
    stack.use(runtime)
    const workloads = connectInProcess(
      WorkloadsServiceDefinition,
      runtime.handlers as Handlers<typeof WorkloadsServiceDefinition>,
    )
    const input = encodeMessage({
      kind: 'search',
      marketplace: { adapter: 'scraper', baseUrl: demo.url, isDemo: true },
      requests: [
        {
          query: 'camera',
          mustExclude: [],
          minPrice: undefined,
          maxPrice: undefined,
          categoryId: undefined,
          pages: 1,
        },
      ],
      salesQuery: 'camera',
    })
    const run = {
      runId: 'rendered',
      workload: 'WORKLOAD_SEARCH' as const,
      input,
      activeDeadlineSeconds: 60,
      user: 'local',
      parentRunId: '',
    }
    const { signal } = new AbortController()
    const outputs = []
    let end = ''
    for await (const report of await streamRun({ bus, workloads }, run, { signal })) {
      if (report.$case === 'output') outputs.push(decodeOutput(report.value))
      end = report.$case
    }
    expect(end).toBe('completed')
    expect(outputs.flatMap((each) => (each.kind === 'found' ? each.listings : [])).length).toBeGreaterThan(50)
    expect(outputs.flatMap((each) => (each.kind === 'sales' ? each.sales : [])).length).toBeGreaterThan(20)
    const browsers = browserProcesses()
    expect(browsers.length).toBeGreaterThan(0)
    await runtime[Symbol.asyncDispose]()
    while (browsers.some(isAlive)) await new Promise((resolve) => setTimeout(resolve, 20))
  })
})
