import { type Migration, sql } from '@trellis/kit/store'

/** Whether an address may be a link or a picture: scripts and local files may not. */
const isWebAddress = (address: unknown): boolean => {
  const protocol = typeof address === 'string' ? URL.parse(address)?.protocol : undefined
  return protocol === 'http:' || protocol === 'https:'
}

/** Rows per page of a migration step. */
const pageSize = 500

/** The steps of the schema, in order. */
export const migrations: readonly Migration[] = [
  {
    number: 1,
    name: 'listings, sellers, comps, scores and search sessions',
    up: async (db) => {
      await db.schema
        .createTable('listings')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('platform', 'text', (column) => column.notNull())
        .addColumn('platform_listing_id', 'text', (column) => column.notNull())
        .addColumn('title', 'text', (column) => column.notNull())
        .addColumn('price', 'double precision')
        .addColumn('price_high', 'double precision')
        .addColumn('currency', 'text', (column) => column.notNull())
        .addColumn('condition', 'text', (column) => column.notNull())
        .addColumn('seller_platform_id', 'text', (column) => column.notNull())
        .addColumn('url', 'text', (column) => column.notNull())
        .addColumn('photo_urls_json', 'text', (column) => column.notNull())
        .addColumn('listing_age_days', 'integer', (column) => column.notNull())
        .addColumn('buying_format', 'text', (column) => column.notNull())
        .addColumn('ends_at', 'text')
        .addColumn('bid_count', 'integer')
        .addColumn('category_name', 'text')
        .addColumn('fetched_at', 'text', (column) => column.notNull())
        .addColumn('first_seen_at', 'text', (column) => column.notNull())
        .addColumn('last_seen_at', 'text', (column) => column.notNull())
        .addColumn('times_seen', 'integer', (column) => column.notNull())
        .addColumn('price_at_first_seen', 'double precision')
        .addUniqueConstraint('listings_by_platform_id', ['user_id', 'platform', 'platform_listing_id'])
        .execute()
      await db.schema.createIndex('listings_by_seller').on('listings').columns(['seller_platform_id']).execute()
      await db.schema
        .createTable('listing_prices')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('listing_id', 'integer', (column) => column.notNull())
        .addColumn('price', 'double precision')
        .addColumn('currency', 'text', (column) => column.notNull())
        .addColumn('captured_at', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createIndex('listing_prices_by_listing')
        .on('listing_prices')
        .columns(['listing_id', 'id'])
        .execute()
      await db.schema
        .createTable('listing_sightings')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('listing_id', 'integer', (column) => column.notNull())
        .addColumn('seen_at', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createIndex('listing_sightings_by_listing')
        .on('listing_sightings')
        .columns(['listing_id', 'id'])
        .execute()
      await db.schema
        .createTable('sellers')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('platform', 'text', (column) => column.notNull())
        .addColumn('platform_seller_id', 'text', (column) => column.notNull())
        .addColumn('username', 'text', (column) => column.notNull())
        .addColumn('account_opened_on', 'text')
        .addColumn('feedback_count', 'integer')
        .addColumn('feedback_ratio', 'double precision')
        .addColumn('category_history_json', 'text')
        .addColumn('fetched_at', 'text', (column) => column.notNull())
        .addUniqueConstraint('sellers_by_platform_id', ['platform', 'platform_seller_id'])
        .execute()
      await db.schema
        .createTable('comps')
        .addColumn('platform', 'text', (column) => column.notNull())
        .addColumn('query_hash', 'text', (column) => column.notNull())
        .addColumn('query', 'text', (column) => column.notNull())
        .addColumn('median_price', 'double precision', (column) => column.notNull())
        .addColumn('quartiles_json', 'text', (column) => column.notNull())
        .addColumn('currency', 'text', (column) => column.notNull())
        .addColumn('sample_count', 'integer', (column) => column.notNull())
        .addColumn('fetched_at', 'text', (column) => column.notNull())
        .addColumn('expires_at', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('comps_by_query', ['platform', 'query_hash'])
        .execute()
      await db.schema
        .createTable('trust_scores')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('listing_id', 'integer', (column) => column.notNull().unique())
        .addColumn('score_json', 'text', (column) => column.notNull())
        .addColumn('composite_score', 'integer', (column) => column.notNull())
        .addColumn('context_json', 'text', (column) => column.notNull())
        .addColumn('photo_analysis_json', 'text')
        .addColumn('scored_at', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('search_sessions')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addColumn('deadline_at', 'text', (column) => column.notNull())
        .addColumn('ended_at', 'text')
        .execute()
    },
  },
  {
    number: 2,
    name: 'searches that another replica can take up',
    up: async (db) => {
      await db.schema.alterTable('search_sessions').addColumn('order_json', 'text').execute()
      await db.schema.alterTable('listing_sightings').addColumn('search_id', 'text').execute()
      await db.schema
        .createIndex('listing_sightings_by_search')
        .on('listing_sightings')
        .columns(['listing_id', 'search_id'])
        .unique()
        .execute()
    },
  },
  {
    number: 3,
    name: 'where facts about sellers come from, and when each was read',
    up: async (db) => {
      const columns = [
        'account_opened_until',
        'account_listing_id',
        'account_read_at',
        'feedback_read_at',
        'history_source',
        'history_read_at',
      ]
      for (const column of columns) await db.schema.alterTable('sellers').addColumn(column, 'text').execute()
      // Feedback was read whenever the row was: results show it. A history may have been derived from one user's finds.
      await sql`UPDATE sellers SET feedback_read_at = fetched_at WHERE feedback_count IS NOT NULL`.execute(db)
      await sql`UPDATE sellers SET category_history_json = NULL`.execute(db)
      // Visitors without a session shared their finds.
      for (const table of ['listing_prices', 'listing_sightings', 'trust_scores'])
        await sql`DELETE FROM ${sql.table(table)} WHERE listing_id IN (SELECT id FROM listings WHERE user_id = 'anonymous')`.execute(
          db,
        )
      await sql`DELETE FROM listings WHERE user_id = 'anonymous'`.execute(db)
    },
  },
  {
    number: 4,
    name: 'links and photos of listings are web addresses',
    // Addresses are checked now; rows stored before may contain addresses of scripts.
    up: async (db) => {
      for (let after = 0; ; ) {
        const columns = ['id', 'url', 'photo_urls_json'] as const
        const query = db.selectFrom('listings').select(columns).where('id', '>', after).orderBy('id').limit(pageSize)
        const rows = await query.execute()
        const unnamed = rows.filter(({ url }) => !isWebAddress(url)).map(({ id }) => id)
        if (unnamed.length > 0) {
          for (const table of ['listing_prices', 'listing_sightings', 'trust_scores'])
            await db.deleteFrom(table).where('listing_id', 'in', unnamed).execute()
          await db.deleteFrom('listings').where('id', 'in', unnamed).execute()
        }
        for (const { id, photo_urls_json: json } of rows) {
          const photos = JSON.parse(json) as unknown[]
          const checked = photos.filter(isWebAddress)
          if (checked.length === photos.length || unnamed.includes(id)) continue
          const changes = { photo_urls_json: JSON.stringify(checked) }
          await db.updateTable('listings').set(changes).where('id', '=', id).execute()
        }
        const last = rows.at(-1)
        if (!last || rows.length < pageSize) return
        after = last.id
      }
    },
  },
]

/** For retention, which looks for listings that were not found lately. */
export const lastSeenMigration = (number: number): Migration => ({
  number,
  name: 'listings by the time at which they were last found',
  up: async (db) => {
    await db.schema.createIndex('listings_by_last_seen').on('listings').columns(['last_seen_at']).execute()
  },
})

export const sellerLookupsMigration = (number: number): Migration => ({
  number,
  name: 'which search looks a seller up',
  up: async (db) => {
    await db.schema.alterTable('sellers').addColumn('lookup_id', 'text').execute()
    await db.schema.alterTable('sellers').addColumn('lookup_until', 'text').execute()
  },
})

export const countedSearchesMigration = (number: number): Migration => ({
  number,
  name: 'whose limit a search counts towards',
  up: async (db) => {
    await db.schema
      .alterTable('search_sessions')
      .addColumn('counted_for', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
    await sql`UPDATE search_sessions SET counted_for = user_id`.execute(db)
  },
})
