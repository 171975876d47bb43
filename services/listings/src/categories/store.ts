import { type Migration, sql, transact } from '@trellis/kit/store'
import type { Kysely, Selectable } from 'kysely'

/** Categories of the marketplace, shared by all users. */
export type CategoryTables = {
  categories: {
    platform: string
    category_id: string
    name: string
    /** The names from the root to the category, joined by " > ". */
    full_path: string
    is_leaf: number
  }
  /** One row for each platform: when its categories were read, and from where. */
  category_lists: { platform: string; source: CategorySource; refreshed_at: string }
}

/** The marketplace's API, or the list in `bootstrap.ts`. */
export type CategorySource = 'api' | 'bootstrap'

export type CategoryRow = Selectable<CategoryTables['categories']>
export type CategoryDb = Kysely<CategoryTables>

/** A category as a source lists it. */
export type Category = Pick<CategoryRow, 'category_id' | 'name' | 'full_path'> & { readonly isLeaf: boolean }

export const categoriesMigration = (number: number): Migration => ({
  number,
  name: 'categories of the marketplace',
  up: async (db) => {
    await db.schema
      .createTable('categories')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('category_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('full_path', 'text', (column) => column.notNull())
      .addColumn('is_leaf', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('categories_by_id', ['platform', 'category_id'])
      .execute()
    await db.schema
      .createTable('category_lists')
      .addColumn('platform', 'text', (column) => column.primaryKey())
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('refreshed_at', 'text', (column) => column.notNull())
      .execute()
  },
})

const rowsPerStatement = 500

/** Replaces the categories of a platform, all at once: readers see the earlier list or this one. */
export const replaceCategories = (
  db: CategoryDb,
  platform: string,
  { categories, source, now }: { categories: readonly Category[]; source: CategorySource; now: Date },
): Promise<void> =>
  transact(db, async (transaction) => {
    await transaction.deleteFrom('categories').where('platform', '=', platform).execute()
    for (let start = 0; start < categories.length; start += rowsPerStatement) {
      const rows = categories.slice(start, start + rowsPerStatement).map(({ isLeaf, ...category }) => ({
        platform,
        ...category,
        is_leaf: isLeaf ? 1 : 0,
      }))
      await transaction.insertInto('categories').values(rows).execute()
    }
    const list = { source, refreshed_at: now.toISOString() }
    await transaction
      .insertInto('category_lists')
      .values({ platform, ...list })
      .onConflict((conflict) => conflict.column('platform').doUpdateSet(list))
      .execute()
  })

export const findCategoryList = (db: CategoryDb, platform: string) =>
  db.selectFrom('category_lists').selectAll().where('platform', '=', platform).executeTakeFirst()

/** All categories of a platform, by path and then by id. */
export const listCategories = (db: CategoryDb, platform: string): Promise<CategoryRow[]> =>
  db
    .selectFrom('categories')
    .selectAll()
    .where('platform', '=', platform)
    .orderBy('full_path')
    .orderBy('category_id')
    .execute()

const escaped = (word: string): string => word.replace(/[\\%_]/g, (character) => `\\${character}`)

/** Categories whose path, which ends with the name, contains any of the words in any case; without words the first, all by name. */
export const matchCategories = (
  db: CategoryDb,
  platform: string,
  words: readonly string[],
  limit: number,
): Promise<CategoryRow[]> =>
  db
    .selectFrom('categories')
    .selectAll()
    .where('platform', '=', platform)
    .$if(words.length > 0, (query) =>
      query.where((eb) =>
        eb.or(
          words.map((word) => sql<boolean>`lower(full_path) LIKE ${`%${escaped(word.toLowerCase())}%`} ESCAPE '\\'`),
        ),
      ),
    )
    .orderBy('name')
    .orderBy('category_id')
    .limit(limit)
    .execute()
