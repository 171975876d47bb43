import { measureImport } from '../../services/listings/bench/imports.ts'
import { measureLookups } from '../../services/listings/bench/photo-hashes.ts'
import { round } from './machine.ts'

/** Measures the import of the largest blocklist. */
export const benchImport = async (): Promise<string[]> => {
  const { rows, bytes, reading, storing, longestPause } = await measureImport(100_000)
  return [
    `import of a blocklist of ${rows} rows (${round(bytes / 1e6, 1)} MB of CSV) into SQLite: read in ${round(reading)} ms, stored in ${round(storing)} ms; no other call served for at most ${round(longestPause)} ms`,
  ]
}

/** Measures the search for copies of a photo; in Postgres with DATABASE_URL. */
export const benchLookups = async (): Promise<string[]> => {
  const { DATABASE_URL: databaseUrl } = process.env
  const { hashes, lookups, found, median, p95, longest } = await measureLookups({
    hashes: 1_000_000,
    lookups: 500,
    databaseUrl,
  })
  const place = databaseUrl === undefined ? 'SQLite' : 'Postgres'
  return [
    `${lookups} photos looked up among ${hashes} hashes of one user in ${place}, ${found} of them found: median ${round(median, 2)} ms, p95 ${round(p95, 2)} ms (target: at most 5), longest ${round(longest, 2)} ms`,
  ]
}
