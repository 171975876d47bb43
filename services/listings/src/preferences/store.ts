import { type Migration, transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import { isPreferencePath, type PreferencePath, type PreferenceValue, type PreferenceValues } from './paths.ts'

/** One row for each preference that a user has set. */
export type PreferenceTables = {
  preferences: { user_id: string; path: string; value_json: string; updated_at: string }
}

export const preferencesMigration = (number: number): Migration => ({
  number,
  name: 'preferences',
  up: async (db) => {
    await db.schema
      .createTable('preferences')
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('path', 'text', (column) => column.notNull())
      .addColumn('value_json', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('preferences_by_user', ['user_id', 'path'])
      .execute()
  },
})

type Db = Kysely<PreferenceTables>

/** The preferences that a user has set. Paths of other versions are left out. */
export const readPreferences = async (db: Db, userId: string): Promise<PreferenceValues> => {
  const rows = await db.selectFrom('preferences').select(['path', 'value_json']).where('user_id', '=', userId).execute()
  return new Map(
    rows.flatMap(({ path, value_json: json }) =>
      isPreferencePath(path) ? [[path, JSON.parse(json) as PreferenceValue] as const] : [],
    ),
  )
}

/** Sets a preference, or removes it with null, and returns all of them. */
export const writePreference = (
  db: Db,
  userId: string,
  { path, value, now }: { readonly path: PreferencePath; readonly value: PreferenceValue | null; readonly now: Date },
): Promise<PreferenceValues> =>
  transact(db, async (transaction) => {
    if (value === null) {
      await transaction.deleteFrom('preferences').where('user_id', '=', userId).where('path', '=', path).execute()
    } else {
      const row = { user_id: userId, path, value_json: JSON.stringify(value), updated_at: now.toISOString() }
      await transaction
        .insertInto('preferences')
        .values(row)
        .onConflict((conflict) =>
          conflict.columns(['user_id', 'path']).doUpdateSet({ value_json: row.value_json, updated_at: row.updated_at }),
        )
        .execute()
    }
    return readPreferences(transaction, userId)
  })
