import { serviceError } from '@trellis/kit/errors'
import { byteFrames, type Handlers, readUpload } from '@trellis/kit/rpc'
import type { Bundle, IncidentsServiceDefinition, SentBundle } from '@trellis/protos/ts/trellis/logs/v1/incidents.ts'
import { reportMissing } from '../branches/report-missing.ts'
import type { IncidentDb } from '../incidents/all-tables.ts'
import { defaultPage, newestFirst } from '../incidents/paging.ts'
import { iso, isoOrNull } from '../incidents/present.ts'
import { readWindow } from '../search/read-request.ts'
import type { Bundles } from './bundles.ts'
import { type BundleSummary, deleteBundle, findBundle, listBundles, listSentBundles } from './store.ts'
import type { SentBundleTable } from './tables.ts'

type BundleHandlers = Pick<
  Handlers<typeof IncidentsServiceDefinition>,
  'exportBundle' | 'sendBundle' | 'receiveBundle' | 'listBundles' | 'getBundle' | 'deleteBundle' | 'listSentBundles'
>

const presentBundle = (row: BundleSummary): Bundle => ({
  id: row.id,
  bundleVersion: row.bundle_version,
  serviceVersion: row.service_version,
  exportedAt: iso(row.bundled_at),
  sanitized: row.sanitized === 1,
  label: row.label,
  issueType: row.issue_type === '' ? null : row.issue_type,
  severity: row.severity,
  entryCount: row.entry_count,
  bytes: row.bytes,
  receivedAt: iso(row.received_at),
})

const presentSent = (row: SentBundleTable): SentBundle => ({
  id: row.id,
  incidentId: row.incident_id,
  destination: row.destination,
  sanitized: row.sanitized === 1,
  status: row.status,
  sentAt: isoOrNull(row.sent_at),
  createdAt: iso(row.created_at),
  attempts: row.attempts,
  nextAttemptAt: isoOrNull(row.next_attempt_at),
  lastError: row.last_error,
})

const chunkBytes = 65_536

async function* slices(content: Buffer, start: number, end: number) {
  for (let from = start; from < end; from += chunkBytes) yield content.subarray(from, Math.min(end, from + chunkBytes))
}

const noBundle = (id: string) => serviceError('not_found', `There is no bundle "${id}".`)

const receivedPages = newestFirst('bundles')
const sentPages = newestFirst('sent-bundles')

export const bundlesRpc = ({ bundles, db }: { bundles: Bundles; db: IncidentDb }): BundleHandlers => ({
  async *exportBundle({ id, sanitize }, { signal, head, isHeadOnly }) {
    const { text, missing } = await bundles.download(id, { sanitize: sanitize ?? false, signal, isHeadOnly })
    reportMissing(head, missing)
    const content = Buffer.from(text)
    yield* byteFrames(
      {
        mediaType: 'application/json',
        filename: `incident-${id}.json`,
        size: content.length,
        read: ({ start, end }) => slices(content, start, end),
      },
      undefined,
    )
  },
  sendBundle: async ({ id, sanitize }, { head, signal }) => {
    const row = await bundles.send(id, { sanitize: sanitize ?? false, signal })
    if (row.status === 'queued') head.status(202)
    return presentSent(row)
  },
  receiveBundle: async (messages) => {
    const { parameters, parts } = await readUpload(messages)
    for await (const part of parts) {
      // Awaited here: leaving the loop ends the body.
      if (part.kind === 'file') return { id: await bundles.receive(part.content, parameters.idempotencyKey || null) }
    }
    throw serviceError('malformed', 'The body is empty: send the response of GET /api/incidents/{id}/bundle.')
  },
  listBundles: async (request) => {
    const limit = request.limit ?? defaultPage
    const filters = {
      ...(request.issueType && { issueType: request.issueType }),
      ...readWindow(request),
    }
    const rows = await listBundles(db, filters, { limit: limit + 1, after: receivedPages.read(request.cursor) })
    const { page, nextCursor } = receivedPages.toPage(rows, limit, ({ bundled_at, id }) => ({ time: bundled_at, id }))
    return { bundles: page.map(presentBundle), nextCursor }
  },
  getBundle: async ({ id }) => {
    const row = await findBundle(db, id)
    if (!row) throw noBundle(id)
    return { ...presentBundle(row), bundle: row.content }
  },
  deleteBundle: async ({ id }) => {
    if (!(await deleteBundle(db, id))) throw noBundle(id)
    return {}
  },
  listSentBundles: async (request) => {
    const limit = request.limit ?? defaultPage
    const rows = await listSentBundles(db, request.incidentId || undefined, {
      limit: limit + 1,
      after: sentPages.read(request.cursor),
    })
    const { page, nextCursor } = sentPages.toPage(rows, limit, ({ created_at, id }) => ({ time: created_at, id }))
    return { sentBundles: page.map(presentSent), nextCursor, receiver: bundles.receiver }
  },
})
