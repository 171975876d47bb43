import { type Kysely, type SqlBool, sql } from 'kysely'
import { type Erase, foldIdentifier, identifies, type Person } from '../erasure/person.ts'
import type { CorrectionTables } from './store.ts'

type Db = Kysely<CorrectionTables>

const rowsPerPage = 200
const texts = ['item_id', 'input_text', 'original_output', 'corrected_output', 'context_json'] as const
type Row = { id: number } & Record<(typeof texts)[number], string>

/** User names of letters alone may be ordinary words, such as "vintage": in sentences they are not taken for names. */
const isDistinctive = (identifier: string): boolean => /[^a-z]/.test(identifier)

const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, (character) => `\\${character}`)

const asWord = (identifier: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_*-])${RegExp.escape(identifier)}(?![\\p{L}\\p{N}_*-])`, 'u')

/** Whether a value in JSON is an identifier of a person, at any depth. */
const containsValue = (value: unknown, identifiers: ReadonlySet<string>): boolean => {
  if (typeof value === 'string') return identifiers.has(foldIdentifier(value))
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([key, item]) => identifiers.has(foldIdentifier(key)) || containsValue(item, identifiers),
  )
}

/** Whether a correction names a person: as a value of its own, or in a sentence. */
const namesPerson = (row: Row, { platform, identifiers }: Person): boolean => {
  const values = new Set(identifiers.flatMap((identifier) => [identifier, `${platform}::${identifier}`]))
  if (texts.some((name) => values.has(foldIdentifier(row[name]).trim()))) return true
  if (containsValue(JSON.parse(row.context_json), values)) return true
  const words = identifiers.filter(isDistinctive).map(asWord)
  return texts.some((name) => words.some((word) => word.test(foldIdentifier(row[name]))))
}

/** Corrections that contain an identifier somewhere, also within other words, after an id. */
const candidates = (db: Db, { identifiers }: Person, after: number): Promise<Row[]> => {
  const contains = texts.flatMap((name) =>
    identifiers.map(
      (identifier) => sql<SqlBool>`lower(${sql.ref(name)}) like ${`%${escaped(identifier)}%`} escape '\\'`,
    ),
  )
  return db
    .selectFrom('corrections')
    .select(['id', ...texts])
    .where('id', '>', after)
    .where((eb) => eb.or(contains))
    .orderBy('id')
    .limit(rowsPerPage)
    .execute()
}

/** Deletes corrections of a person's listings, and those that name the person. */
export const eraseCorrections: Erase = async ({ db }, person) => {
  const listings = db
    .selectFrom('listings')
    .select('platform_listing_id')
    .where('platform', '=', person.platform)
    .where(identifies('seller_platform_id', person))
  const ofListings = await db.deleteFrom('corrections').where('item_id', 'in', listings).executeTakeFirst()
  let erased = Number(ofListings.numDeletedRows)
  for (let after = 0; ; ) {
    const rows = await candidates(db, person, after)
    const ids = rows.filter((row) => namesPerson(row, person)).map(({ id }) => id)
    if (ids.length > 0) await db.deleteFrom('corrections').where('id', 'in', ids).execute()
    erased += ids.length
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsPerPage) return erased
    after = last.id
  }
}
