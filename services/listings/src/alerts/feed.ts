import { createHash } from 'node:crypto'
import { priceOrUnknown } from '../formatting.ts'
import type { AlertRow } from './tables.ts'

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Characters that XML 1.0 cannot contain, even escaped (section 2.2), and lone surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** Text as the content of an XML element or attribute. */
export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(forbidden, '')
    .replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '')

/** A UUID that is derived from a name, so that feed readers recognise an entry (RFC 9562, version 8). */
const uuidOf = (name: string): string => {
  const hex = createHash('sha256').update(name).digest('hex')
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16)
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`
}

const labels: Readonly<Record<AlertRow['kind'], string>> = {
  new_match: '',
  price_drop: 'Price drop: ',
  price_rise: 'Price rise: ',
}

const summaryOf = (alert: AlertRow): string => {
  const before = alert.price_before === null ? '' : `, before ${priceOrUnknown(alert.price_before, alert.currency)}`
  const partial = alert.score_is_partial === 1 ? ' (some facts pending)' : ''
  return `${priceOrUnknown(alert.price, alert.currency)}${before}. Trust score ${alert.composite_score} of 100${partial}. Saved search: ${alert.saved_search_name}.`
}

const entry = (alert: AlertRow): string =>
  [
    '<entry>',
    `<id>${uuidOf(`${alert.user_id} ${alert.id}`)}</id>`,
    `<title>${escapeXml(`${labels[alert.kind]}${alert.title}`)}</title>`,
    `<updated>${escapeXml(alert.created_at)}</updated>`,
    `<link rel="alternate" href="${escapeXml(alert.url)}"/>`,
    `<category term="${alert.kind}"/>`,
    `<summary>${escapeXml(summaryOf(alert))}</summary>`,
    '</entry>',
  ].join('')

export type Feed = { readonly body: Buffer; readonly etag: string }

/** A user's alerts as an Atom feed (RFC 4287), newest first. The same alerts yield the same bytes, and so the same ETag. */
export const atomFeed = (
  { userId, address, since }: { readonly userId: string; readonly address: string; readonly since: string },
  alerts: readonly AlertRow[],
): Feed => {
  const updated = alerts[0]?.created_at ?? since
  const body = Buffer.from(
    [
      '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">',
      `<id>${uuidOf(`feed ${userId}`)}</id>`,
      '<title>Alerts of saved searches</title>',
      '<author><name>Trellis</name></author>',
      `<updated>${escapeXml(updated)}</updated>`,
      `<link rel="self" href="${escapeXml(address)}"/>`,
      ...alerts.map(entry),
      '</feed>\n',
    ].join(''),
  )
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}
