import { invalidField, serviceError } from '@trellis/kit/errors'
import { createPaging } from '@trellis/kit/paging'
import { byteFrames, type Call, type Handlers } from '@trellis/kit/rpc'
import type { ByteFrame } from '@trellis/protos/ts/trellis/http/v1/messages.ts'
import {
  type Alert,
  AlertKind,
  type AlertSettings,
  type AlertsServiceDefinition,
  type ReadAlertFeedRequest,
} from '@trellis/protos/ts/trellis/listings/v1/alerts.ts'
import type { Dependencies } from '../dependencies.ts'
import { hasStore, requireSession, requireSignedIn } from '../session/access.ts'
import { atomFeed } from './feed.ts'
import { findSettings } from './outbox-store.ts'
import {
  confirmEmail,
  deleteFeed,
  findByFeedToken,
  hiddenSecret,
  quietHoursOf,
  replaceSettings,
  rotateFeed,
  type SettingsRules,
} from './settings.ts'
import { countUnread, dismissAlert, dismissUnread, listAlerts, snoozeAlert } from './store.ts'
import type { AlertRow, SettingsRow } from './tables.ts'

export type AlertsRpcOptions = {
  readonly rules: SettingsRules
  /** Called when a delivery was queued. */
  readonly onQueued: () => void
}

const defaultPage = 50
const feedEntries = 50
const longestSnooze = 366 * 86_400_000

const kinds: Readonly<Record<AlertRow['kind'], AlertKind>> = {
  new_match: AlertKind.NEW_MATCH,
  price_drop: AlertKind.PRICE_DROP,
  price_rise: AlertKind.PRICE_RISE,
}

const shownAlert = (row: AlertRow): Alert => ({
  id: row.id,
  kind: kinds[row.kind],
  savedSearchId: row.saved_search_id,
  savedSearchName: row.saved_search_name,
  platform: row.platform,
  platformListingId: row.platform_listing_id,
  title: row.title,
  url: row.url,
  photoUrl: row.photo_url,
  sellerPlatformId: row.seller_platform_id,
  price: row.price,
  currency: row.currency,
  priceBefore: row.price_before,
  buyingFormat: row.buying_format,
  endsAt: row.ends_at,
  compositeScore: row.composite_score,
  scoreIsPartial: row.score_is_partial === 1,
  createdAt: row.created_at,
  dismissedAt: row.dismissed_at,
  snoozedUntil: row.snoozed_until,
})

const shownSettings = (row: SettingsRow | undefined, { sendsMail }: SettingsRules): AlertSettings => {
  const quiet = row === undefined ? undefined : quietHoursOf(row)
  return {
    quietHours: quiet ?? null,
    webhook:
      row?.webhook_url == null
        ? null
        : {
            url: row.webhook_url,
            secret: hiddenSecret,
            deliveredAt: row.webhook_delivered_at,
            lastError: row.webhook_error,
          },
    email:
      row?.email == null
        ? null
        : {
            address: row.email,
            confirmed: row.email_confirmed === 1,
            deliveredAt: row.email_delivered_at,
            lastError: row.email_error,
          },
    emailAvailable: sendsMail,
    feedEnabled: row?.feed_token_hash != null,
  }
}

const paging = createPaging('alerts', { id: 'integer' })

/** Whether a month has the day of an ISO 8601 time: `Date` reads 30 February as 2 March. */
const isInCalendar = (text: string): boolean => {
  const day = text.slice(0, 10)
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)
}

/** A time with a time zone, after now and at most a year ahead. */
const readUntil = (text: string, now: Date): Date => {
  const field = ['body', 'until']
  const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : NaN
  if (Number.isNaN(time) || !isInCalendar(text))
    throw invalidField(field, 'must be a time in ISO 8601 with its time zone, such as 2026-12-01T08:00:00Z')
  if (time <= now.getTime()) throw invalidField(field, 'must be in the future')
  if (time - now.getTime() > longestSnooze) throw invalidField(field, 'must be at most a year ahead')
  return new Date(time)
}

const unknownAlert = (id: number) => serviceError('not_found', `You have no alert with the id ${id}.`)

/** The address of a feed as the caller reaches it. */
const feedAddress = ({ origin }: Call, token: string): string =>
  `${origin ?? ''}/listings/api/alerts/feed?token=${encodeURIComponent(token)}`

async function* readFeed(
  { db, now }: Dependencies,
  { token }: ReadAlertFeedRequest,
  call: Call,
): AsyncGenerator<ByteFrame> {
  const settings = await findByFeedToken(db, token)
  if (settings === undefined)
    throw serviceError(
      'not_found',
      'No feed has this token. It may have been replaced: create a new address in the settings.',
    )
  const { user_id: userId, updated_at: since } = settings
  const page = { includeDismissed: true, before: undefined, limit: feedEntries }
  const alerts = await listAlerts(db, userId, page, now())
  const { body, etag } = atomFeed({ userId, address: feedAddress(call, token), since }, alerts)
  call.head.header('cache-control', 'private, no-cache')
  const read = async function* ({ start, end }: { start: number; end: number }) {
    yield body.subarray(start, end)
  }
  yield* byteFrames({ mediaType: 'application/atom+xml', size: body.length, etag, read }, undefined)
}

export const alertsRpc = (
  dependencies: Dependencies,
  { rules, onQueued }: AlertsRpcOptions,
): Handlers<typeof AlertsServiceDefinition> => {
  const { db, now } = dependencies
  return {
    listAlerts: async ({ includeDismissed, limit, cursor }, { caller }) => {
      const before = paging.read(cursor)?.id
      if (!hasStore(caller)) return { alerts: [], unreadCount: 0, nextCursor: null }
      const size = limit ?? defaultPage
      const page = { includeDismissed: includeDismissed ?? false, before, limit: size + 1 }
      const rows = await listAlerts(db, caller.userId, page, now())
      const { page: shown, nextCursor } = paging.toPage(rows, size, ({ id }) => ({ id }))
      return {
        alerts: shown.map(shownAlert),
        unreadCount: await countUnread(db, caller.userId, now()),
        nextCursor,
      }
    },
    dismissAlert: async ({ id }, { caller }) => {
      if (!(await dismissAlert(db, requireSession(caller, 'dismiss alerts'), id, now()))) throw unknownAlert(id)
      return {}
    },
    dismissAllAlerts: async (_request, { caller }) => ({
      dismissed: await dismissUnread(db, requireSession(caller, 'dismiss alerts'), now()),
    }),
    snoozeAlert: async ({ id, until }, { caller }) => {
      const userId = requireSession(caller, 'snooze alerts')
      const snoozed = await snoozeAlert(db, userId, id, readUntil(until, now()))
      if (snoozed === undefined) throw unknownAlert(id)
      return shownAlert(snoozed)
    },
    readAlertFeed: (request, call) => readFeed(dependencies, request, call),
    getAlertSettings: async (_request, { caller }) =>
      shownSettings(hasStore(caller) ? await findSettings(db, caller.userId) : undefined, rules),
    putAlertSettings: async ({ quietHours, webhook, email }, { caller }) => {
      const userId = requireSignedIn(caller, 'receive alerts')
      const settings = { quietHours: quietHours ?? undefined, webhook: webhook ?? undefined, email: email?.address }
      const saved = await replaceSettings(db, userId, settings, { rules, now: now() })
      onQueued()
      return shownSettings(saved, rules)
    },
    confirmAlertEmail: async ({ code }, { caller }) => {
      const userId = requireSignedIn(caller, 'receive alerts')
      return shownSettings(await confirmEmail(db, userId, code, now()), rules)
    },
    rotateAlertFeed: async (_request, call) => {
      const token = await rotateFeed(db, requireSignedIn(call.caller, 'create a feed'), now())
      return { url: feedAddress(call, token), token }
    },
    deleteAlertFeed: async (_request, { caller }) => {
      await deleteFeed(db, requireSignedIn(caller, 'delete a feed'))
      return {}
    },
  }
}
