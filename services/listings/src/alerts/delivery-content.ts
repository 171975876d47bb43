import type { AlertRow } from './tables.ts'

/** An alert as it is sent: the names of the API, without what may still change. */
export type SentAlert = Pick<
  AlertRow,
  | 'id'
  | 'kind'
  | 'saved_search_id'
  | 'saved_search_name'
  | 'platform'
  | 'platform_listing_id'
  | 'title'
  | 'url'
  | 'photo_url'
  | 'seller_platform_id'
  | 'price'
  | 'currency'
  | 'price_before'
  | 'buying_format'
  | 'ends_at'
  | 'composite_score'
  | 'created_at'
> & { readonly score_is_partial: boolean }

/** The content of a delivery, oldest alert first. `omitted` counts alerts that did not fit. */
export type AlertContent = { readonly alerts: readonly SentAlert[]; readonly omitted: number }

/** Maximum alerts in one delivery; earlier ones are only counted. */
export const maxSentAlerts = 200

const sentAlert = ({
  user_id: _user,
  dismissed_at: _dismissed,
  snoozed_until: _snoozed,
  score_is_partial,
  ...row
}: AlertRow): SentAlert => ({ ...row, score_is_partial: score_is_partial === 1 })

export const contentOf = (rows: readonly AlertRow[]): AlertContent =>
  addToContent({ alerts: [], omitted: 0 }, { alerts: rows.map(sentAlert), omitted: 0 })

/** Both contents as one. An alert replaces an earlier one to the same listing. */
export const addToContent = (waiting: AlertContent, added: AlertContent): AlertContent => {
  const keyOf = ({ platform, platform_listing_id }: SentAlert) => `${platform} ${platform_listing_id}`
  const replaced = new Set(added.alerts.map(keyOf))
  const all = [...waiting.alerts.filter((alert) => !replaced.has(keyOf(alert))), ...added.alerts]
  const alerts = all.slice(-maxSentAlerts)
  return { alerts, omitted: waiting.omitted + added.omitted + all.length - alerts.length }
}
