import { invalidField, serviceError } from '@trellis/kit/errors'
import { isTooNested, maxNesting } from '../entries/nesting.ts'
import { readMoment } from '../search/read-request.ts'
import { bundleVersion } from './bundle.ts'
import type { BundleTable } from './tables.ts'

/** Maximum size of a received bundle in bytes, and its maximum number of entries. */
export const maxBundleBytes = 32 * 1024 * 1024
const maxEntries = 10_000
const maxLabel = 500
const maxTime = 100
/** A bundle is an object with a list of entries, which have fields. */
const maxBundleNesting = maxNesting + 3

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Truncated, and in a form that databases accept: without U+0000 and lone surrogates. */
const storable = (text: string): string => text.slice(0, maxLabel).replaceAll('\0', '\uFFFD').toWellFormed()
const textOr = (value: unknown, fallback: string): string => (typeof value === 'string' ? storable(value) : fallback)
const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? storable(value) : null

const parse = (text: string): Record<string, unknown> => {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (cause) {
    throw serviceError(
      'malformed',
      'The body is not valid JSON: send the response of GET /api/incidents/{id}/bundle.',
      {
        cause,
      },
    )
  }
  if (!isObject(parsed)) throw serviceError('malformed', 'A bundle is a JSON object.')
  if (isTooNested(parsed, maxBundleNesting))
    throw serviceError('malformed', `A bundle may have at most ${maxBundleNesting} levels of lists and objects.`)
  return parsed
}

/**
 * Reads the row of a bundle. Its contents are untrusted: whatever cannot be stored or shown is refused. Throws `malformed` for invalid JSON, and
 * `invalid` for an unknown version or an invalid bundle.
 */
export const readBundle = (
  text: string,
  received: Pick<BundleTable, 'id' | 'sender_key' | 'received_at'>,
): BundleTable => {
  const { bundle_version, service_version, exported_at, sanitized, incident, entries } = parse(text)
  if (bundle_version === undefined || bundle_version === null)
    throw invalidField(
      ['body', 'bundle_version'],
      `bundle_version is missing; the supported version is ${bundleVersion}.`,
    )
  if (bundle_version !== bundleVersion)
    throw invalidField(
      ['body', 'bundle_version'],
      `This version is not supported; the supported version is ${bundleVersion}.`,
    )
  if (!isObject(incident) || typeof incident.label !== 'string')
    throw invalidField(['body', 'incident'], 'incident must be an object with a label.')
  if (!Array.isArray(entries) || entries.some((entry) => !isObject(entry) || typeof entry.text !== 'string'))
    throw invalidField(['body', 'entries'], 'entries must be a list of objects with a text.')
  if (entries.length > maxEntries)
    throw invalidField(['body', 'entries'], `A bundle may have at most ${maxEntries} entries.`)
  const bundledAt = readMoment(
    'exported_at',
    typeof exported_at === 'string' ? exported_at.slice(0, maxTime) : '',
    'body',
  )
  if (bundledAt < 0)
    throw invalidField(['body', 'exported_at'], 'exported_at must be a time such as 2026-03-01T09:15:02Z.')
  return {
    ...received,
    bundle_version: bundleVersion,
    service_version: textOrNull(service_version),
    bundled_at: bundledAt,
    sanitized: sanitized === true ? 1 : 0,
    label: textOr(incident.label, ''),
    issue_type: textOr(incident.issue_type, ''),
    severity: textOrNull(incident.severity),
    entry_count: entries.length,
    bytes: Buffer.byteLength(text),
    // As received; JSON escapes a NUL.
    content: text,
  }
}

/** The body of a request as text. Throws `too_large`, and `malformed` for invalid UTF-8. */
export const readBundleText = async (content: AsyncIterable<Uint8Array>): Promise<string> => {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of content) {
    size += part.length
    if (size > maxBundleBytes)
      throw serviceError('too_large', `A bundle may have at most ${maxBundleBytes / 1024 / 1024} MB.`)
    parts.push(part)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts))
  } catch (cause) {
    throw serviceError('malformed', 'A bundle must be JSON in UTF-8.', { cause })
  }
}
