import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateStore, openStore, sql } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { createRandom } from '../src/marketplace/demo/random.ts'
import { bandsOf } from '../src/photo-hashes/hamming.ts'
import { bandColumns, createBandIndexes, findSimilar } from '../src/photo-hashes/store.ts'
import { type ListingsTables, migrations } from '../src/schemas.ts'
import type { Db } from '../src/store/tables.ts'

const rowsPerStatement = 1_000
const random = createRandom(3)

const randomHash = (): string =>
  Array.from({ length: 4 }, () => random.between(0, 0xffff).toString(16).padStart(4, '0')).join('')
const nearby = (hash: string): string => {
  const bits = Array.from({ length: 6 }, () => BigInt(random.between(0, 63)))
  return bits
    .reduce((value, bit) => value ^ (1n << bit), BigInt(`0x${hash}`))
    .toString(16)
    .padStart(16, '0')
}

/** Durations of lookups of photos similar to one, in milliseconds. */
export type LookupFigures = {
  readonly hashes: number
  readonly lookups: number
  /** Lookups with a match; each photo is within 6 bits of one that is stored. */
  readonly found: number
  readonly median: number
  readonly p95: number
  readonly longest: number
}

/** Stores hashes of photos that one user has seen. */
const fill = async (db: Db, hashes: readonly string[]): Promise<void> => {
  // Sorted indexes are built faster at the end.
  for (const band of bandColumns) await db.schema.dropIndex(`photo_hashes_by_${band}`).execute()
  await db.transaction().execute(async (transaction) => {
    for (let start = 0; start < hashes.length; start += rowsPerStatement) {
      const rows = hashes.slice(start, start + rowsPerStatement).map((phash, index) => {
        const [band_0, band_1, band_2] = bandsOf(phash)
        const row = { user_id: 'local', listing_id: start + index, photo_url: '1', phash, first_seen_at: '' }
        return { ...row, band_0, band_1, band_2, duplicate_listing_id: null }
      })
      await transaction.insertInto('photo_hashes').values(rows).execute()
    }
  })
  await createBandIndexes(db)
}

/**
 * Looks up similar photos among hashes of one user, in SQLite in a temporary directory, or in the Postgres database of
 * `databaseUrl`, in which the schema is created.
 */
export const measureLookups = async ({
  hashes: count,
  lookups,
  databaseUrl,
}: {
  readonly hashes: number
  readonly lookups: number
  readonly databaseUrl?: string | undefined
}): Promise<LookupFigures> => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'trellis-bench-photos-'))
  const location = databaseUrl === undefined ? { dataDirectory } : { databaseUrl }
  const schema = { name: 'listings', migrations, log: silentLog } as const
  try {
    if (databaseUrl !== undefined) await migrateStore({ databaseUrl }, schema)
    await using store = await openStore<ListingsTables>({ ...location, ...schema })
    const hashes = Array.from({ length: count }, randomHash)
    await fill(store.db, hashes)
    // Autovacuum does this after that many changes. Index-only scans need it.
    if (databaseUrl !== undefined) await sql`VACUUM ANALYZE photo_hashes`.execute(store.db)
    const durations: number[] = []
    let found = 0
    for (let lookup = 0; lookup < lookups; lookup++) {
      const start = performance.now()
      const similar = await findSimilar(store.db, 'local', nearby(hashes[random.between(0, count - 1)] ?? ''))
      durations.push(performance.now() - start)
      found += similar.length > 0 ? 1 : 0
    }
    durations.sort((a, b) => a - b)
    const at = (share: number) => durations[Math.floor(share * (durations.length - 1))] ?? 0
    return { hashes: count, lookups, found, median: at(0.5), p95: at(0.95), longest: at(1) }
  } finally {
    await rm(dataDirectory, { recursive: true, force: true })
  }
}
