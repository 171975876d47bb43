import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { families } from '../src/marketplace/demo/catalogue.ts'
import { dueMonitors } from '../src/monitors/store.ts'
import { type ListingsTables, migrations } from '../src/schemas.ts'
import { openService } from '../test/open-service.ts'

/** Monitors that were due at once, and how many of them ran in a limited time. */
export type MonitorFigures = {
  readonly due: number
  readonly atOnce: number
  readonly seconds: number
  readonly ran: number
  readonly failed: number
  readonly perSecond: number
  /** CPU time of this process and its workers per run in milliseconds; undefined where /proc does not show it. */
  readonly cpuPerRun: number | undefined
  /** Selecting the next due ones among all, in milliseconds. */
  readonly selectMilliseconds: number
}

/** Clock ticks per second in /proc, on all of Linux's platforms. */
const ticksPerSecond = 100

/** CPU time of this process and its children so far, in seconds. */
const cpuSeconds = async (): Promise<number | undefined> => {
  try {
    const children = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8')
    const ids = ['self', ...children.split(' ').filter((id) => id.trim() !== '')]
    const stats = await Promise.all(ids.map((id) => readFile(`/proc/${id}/stat`, 'utf8').catch(() => '')))
    // After the name in parentheses: user and system time are the fields 14 and 15.
    const ticks = stats.flatMap((stat) =>
      stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13)
        .map(Number),
    )
    return ticks.reduce((sum, value) => sum + value, 0) / ticksPerSecond
  } catch {
    return undefined
  }
}

const searchesPerUser = 20
const rowsPerStatement = 500
const models = families.flatMap(({ models: all }) => all.map(([name]) => name))

const monitorOf = (index: number, at: string) => ({
  user_id: `user-${Math.floor(index / searchesPerUser)}`,
  name: `Monitor ${index}`,
  query: models[index % models.length] ?? 'camera',
  platform: 'marketplace',
  filters_json: '{}',
  created_at: at,
  used_at: at.slice(0, 10),
  monitor_enabled: 1,
  poll_interval_min: 60,
  min_trust_score: 60,
  failures: 0,
  next_check_at: at,
  tier: 'ultra',
})

/**
 * Runs monitors of many users that are all due, against the demo marketplace on SQLite, until a time has passed: whole searches by workers, their scores,
 * and their alerts.
 */
export const measureMonitors = async (options: {
  readonly due: number
  readonly atOnce: number
  readonly seconds: number
}): Promise<MonitorFigures> => {
  const { due, atOnce, seconds } = options
  const dataDirectory = await mkdtemp(join(tmpdir(), 'trellis-bench-monitors-'))
  try {
    await using store = await openStore<ListingsTables>({
      dataDirectory,
      name: 'listings',
      migrations,
      log: silentLog,
    })
    const { db } = store
    const at = new Date().toISOString()
    for (let start = 0; start < due; start += rowsPerStatement) {
      const rows = Array.from({ length: Math.min(rowsPerStatement, due - start) }, (_, index) =>
        monitorOf(start + index, at),
      )
      await db.insertInto('saved_searches').values(rows).execute()
    }
    const selecting = performance.now()
    for (let round = 0; round < 100; round++) await dueMonitors(db, new Date(), atOnce)
    const selectMilliseconds = (performance.now() - selecting) / 100
    const service = await openService({ dataDirectory }, { LISTINGS_MONITORS_AT_ONCE: String(atOnce) })
    try {
      const ranSoFar = async () => {
        const { rows } = await db
          .selectFrom('saved_searches')
          .select(({ fn }) => fn.count<number>('last_checked_at').as('rows'))
          .executeTakeFirstOrThrow()
        return Number(rows)
      }
      // The first runs wait for the workers to start.
      const warmUpEnds = performance.now() + 30_000
      while ((await ranSoFar()) < atOnce && performance.now() < warmUpEnds) await sleep(100)
      const [before, cpu, started] = [await ranSoFar(), await cpuSeconds(), performance.now()]
      await sleep(seconds * 1000)
      const elapsed = (performance.now() - started) / 1000
      const ran = (await ranSoFar()) - before
      const { failed } = await db
        .selectFrom('saved_searches')
        .select(({ fn }) => fn.count<number>('last_error').as('failed'))
        .executeTakeFirstOrThrow()
      const used = cpu === undefined ? undefined : ((await cpuSeconds()) ?? 0) - cpu
      return {
        due,
        atOnce,
        seconds: elapsed,
        ran,
        failed: Number(failed),
        perSecond: ran / elapsed,
        cpuPerRun: used === undefined || ran === 0 ? undefined : (used * 1000) / ran,
        selectMilliseconds,
      }
    } finally {
      await service.close()
    }
  } finally {
    await rm(dataDirectory, { recursive: true, force: true })
  }
}
