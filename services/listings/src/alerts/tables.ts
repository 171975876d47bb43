import type { Migration } from '@trellis/kit/store'
import type { Generated, Selectable } from 'kysely'
import type { AlertKind } from './decide.ts'

/** Rows of alerts and of their delivery. Times are ISO 8601 text. */
export type AlertTables = {
  /** The newest alert of a listing for a user; a later one replaces it under a new id, so ids are in order of time. */
  alerts: {
    id: Generated<number>
    user_id: string
    kind: AlertKind
    saved_search_id: number
    saved_search_name: string
    platform: string
    platform_listing_id: string
    title: string
    url: string
    photo_url: string | null
    seller_platform_id: string
    price: number | null
    currency: string
    price_before: number | null
    buying_format: string
    ends_at: string | null
    composite_score: number
    score_is_partial: number
    created_at: string
    dismissed_at: string | null
    snoozed_until: string | null
  }
  /** Listings that a user was alerted to, and at what price: rows outlive the alerts, so that none is repeated. */
  alerted_listings: {
    user_id: string
    platform: string
    platform_listing_id: string
    price: number | null
    currency: string
    /** When a monitor last found it, to the day. */
    seen_on: string
  }
  alert_settings: {
    user_id: string
    /** JSON of start, end and time zone; null without quiet hours. */
    quiet_hours_json: string | null
    webhook_url: string | null
    webhook_secret: string | null
    webhook_delivered_at: string | null
    webhook_error: string | null
    email: string | null
    /** 1 if the address receives alerts. */
    email_confirmed: number
    email_code: string | null
    email_code_sent_at: string | null
    email_code_failures: number
    email_delivered_at: string | null
    email_error: string | null
    /** SHA-256 of the feed's token; null without a feed. */
    feed_token_hash: string | null
    updated_at: string
  }
  /** The outbox: deliveries that are pending. Rows are deleted when they were accepted or abandoned. */
  alert_deliveries: {
    id: string
    user_id: string
    channel: Channel
    content_json: string
    created_at: string
    attempts: number
    next_attempt_at: string
    claimed_until: string | null
  }
}

/** `confirmation` is a message with a code to a new e-mail address. */
export type Channel = 'webhook' | 'email' | 'confirmation'

export type AlertRow = Selectable<AlertTables['alerts']>
export type SettingsRow = Selectable<AlertTables['alert_settings']>
export type DeliveryRow = Selectable<AlertTables['alert_deliveries']>

export const alertsMigration = (number: number): Migration => ({
  number,
  name: 'alerts and their delivery',
  up: async (db) => {
    await db.schema
      .createTable('alerts')
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('saved_search_id', 'integer', (column) => column.notNull())
      .addColumn('saved_search_name', 'text', (column) => column.notNull())
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('platform_listing_id', 'text', (column) => column.notNull())
      .addColumn('title', 'text', (column) => column.notNull())
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('photo_url', 'text')
      .addColumn('seller_platform_id', 'text', (column) => column.notNull())
      .addColumn('price', 'double precision')
      .addColumn('currency', 'text', (column) => column.notNull())
      .addColumn('price_before', 'double precision')
      .addColumn('buying_format', 'text', (column) => column.notNull())
      .addColumn('ends_at', 'text')
      .addColumn('composite_score', 'integer', (column) => column.notNull())
      .addColumn('score_is_partial', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('dismissed_at', 'text')
      .addColumn('snoozed_until', 'text')
      .addUniqueConstraint('alerts_by_listing', ['user_id', 'platform', 'platform_listing_id'])
      .execute()
    await db.schema.createIndex('alerts_by_user').on('alerts').columns(['user_id', 'id']).execute()
    await db.schema.createIndex('alerts_by_time').on('alerts').columns(['created_at']).execute()
    await db.schema
      .createTable('alerted_listings')
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('platform_listing_id', 'text', (column) => column.notNull())
      .addColumn('price', 'double precision')
      .addColumn('currency', 'text', (column) => column.notNull())
      .addColumn('seen_on', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('alerted_listings_key', ['user_id', 'platform', 'platform_listing_id'])
      .execute()
    await db.schema.createIndex('alerted_listings_by_day').on('alerted_listings').columns(['seen_on']).execute()
    await db.schema
      .createTable('alert_settings')
      .addColumn('user_id', 'text', (column) => column.primaryKey())
      .addColumn('quiet_hours_json', 'text')
      .addColumn('webhook_url', 'text')
      .addColumn('webhook_secret', 'text')
      .addColumn('webhook_delivered_at', 'text')
      .addColumn('webhook_error', 'text')
      .addColumn('email', 'text')
      .addColumn('email_confirmed', 'integer', (column) => column.notNull())
      .addColumn('email_code', 'text')
      .addColumn('email_code_sent_at', 'text')
      .addColumn('email_code_failures', 'integer', (column) => column.notNull())
      .addColumn('email_delivered_at', 'text')
      .addColumn('email_error', 'text')
      .addColumn('feed_token_hash', 'text')
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .execute()
    await db.schema
      .createIndex('alert_settings_by_feed')
      .on('alert_settings')
      .columns(['feed_token_hash'])
      .unique()
      .execute()
    await db.schema
      .createTable('alert_deliveries')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('channel', 'text', (column) => column.notNull())
      .addColumn('content_json', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('next_attempt_at', 'text', (column) => column.notNull())
      .addColumn('claimed_until', 'text')
      .execute()
    await db.schema
      .createIndex('alert_deliveries_by_user')
      .on('alert_deliveries')
      .columns(['user_id', 'channel', 'created_at'])
      .execute()
    await db.schema.createIndex('alert_deliveries_due').on('alert_deliveries').columns(['next_attempt_at']).execute()
  },
})
