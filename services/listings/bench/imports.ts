import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { csvHeader, decodeCsv, readCsv, toCsv } from '../src/blocklist/csv.ts'
import { addEntries, sharedOwner } from '../src/blocklist/store.ts'
import { type ListingsTables, migrations } from '../src/schemas.ts'

/** Durations of an import of a blocklist into SQLite, in milliseconds. */
export type ImportFigures = {
  readonly rows: number
  readonly bytes: number
  readonly reading: number
  readonly storing: number
  /** The longest time for which no other call was served. */
  readonly longestPause: number
}

const createdAt = '2026-06-15T12:00:00Z'

const fileOf = (rows: number): Buffer => {
  const entries = Array.from({ length: rows }, (_, index) => ({
    platform: 'marketplace',
    platform_seller_id: `seller_${index * 7_919}`,
    username: `Seller ${index}`,
    reason: index % 3 === 0 ? 'Sent another item than the one shown, and did not answer' : '',
    source: 'manual' as const,
    created_at: createdAt,
  }))
  return Buffer.from(csvHeader + toCsv(entries))
}

/** Imports a CSV file of sellers. */
export const measureImport = async (rows: number): Promise<ImportFigures> => {
  const file = fileOf(rows)
  const dataDirectory = await mkdtemp(join(tmpdir(), 'trellis-bench-import-'))
  try {
    await using store = await openStore<ListingsTables>({
      dataDirectory,
      name: 'listings',
      migrations,
      log: silentLog,
    })
    const delays = monitorEventLoopDelay({ resolution: 1 })
    delays.enable()
    await sleep(20)
    const started = performance.now()
    const { entries } = await readCsv(decodeCsv(file), 'marketplace')
    const read = performance.now()
    const added = await addEntries(store.db, sharedOwner, entries, new Date(createdAt))
    const stored = performance.now()
    await sleep(20)
    delays.disable()
    if (added?.length !== rows) throw new Error(`${added?.length ?? 0} of ${rows} rows were imported.`)
    return {
      rows,
      bytes: file.length,
      reading: read - started,
      storing: stored - read,
      longestPause: delays.max / 1e6,
    }
  } finally {
    await rm(dataDirectory, { recursive: true, force: true })
  }
}
