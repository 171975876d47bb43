/**
 * Measures the lookup of similar photos among a million hashes of one user: `node services/listings/bench/photo-hashes.ts [hashes] [lookups]`. The store
 * is SQLite in a temporary directory, or with DATABASE_URL a Postgres database, in which the schema is created.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateStore, openStore, sql } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { createRandom } from '../src/marketplace/demo/random.ts'
import { bandsOf } from '../src/photo-hashes/hamming.ts'
import { bandColumns, createBandIndexes, findSimilar } from '../src/photo-hashes/store.ts'
import { type ListingsTables, migrations } from '../src/schemas.ts'

const [count = 1_000_000, lookups = 500] = process.argv.slice(2).map(Number)
const { DATABASE_URL: databaseUrl } = process.env
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

const directory = await mkdtemp(join(tmpdir(), 'photo-hashes-'))
const location = databaseUrl === undefined ? { dataDirectory: directory } : { databaseUrl }
if (databaseUrl !== undefined) await migrateStore({ databaseUrl }, { name: 'listings', migrations, log: silentLog })
try {
  await using store = await openStore<ListingsTables>({ ...location, name: 'listings', migrations, log: silentLog })
  const { db } = store
  const hashes = Array.from({ length: count }, randomHash)
  // Sorted indexes are built faster at the end.
  for (const band of bandColumns) await db.schema.dropIndex(`photo_hashes_by_${band}`).execute()
  await db.transaction().execute(async (transaction) => {
    for (let start = 0; start < count; start += rowsPerStatement) {
      const rows = hashes.slice(start, start + rowsPerStatement).map((phash, index) => {
        const [band_0, band_1, band_2] = bandsOf(phash)
        const row = { user_id: 'local', listing_id: start + index, photo_url: '1', phash, first_seen_at: '' }
        return { ...row, band_0, band_1, band_2, duplicate_listing_id: null }
      })
      await transaction.insertInto('photo_hashes').values(rows).execute()
    }
  })
  await createBandIndexes(db)
  // Autovacuum does this after that many changes. Index-only scans need it.
  if (databaseUrl !== undefined) await sql`VACUUM ANALYZE photo_hashes`.execute(db)
  const times: number[] = []
  let found = 0
  for (let lookup = 0; lookup < lookups; lookup++) {
    const start = performance.now()
    const similar = await findSimilar(db, 'local', nearby(hashes[random.between(0, count - 1)] ?? ''))
    times.push(performance.now() - start)
    found += similar.length > 0 ? 1 : 0
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => `${(times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(2)} ms`
  console.log(
    `${lookups} lookups among ${count} hashes, ${found} of them with a match: median ${at(0.5)}, 95 % below ${at(0.95)}, longest ${at(1)}`,
  )
} finally {
  await rm(directory, { recursive: true, force: true })
}
