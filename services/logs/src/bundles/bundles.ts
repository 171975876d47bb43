import { randomUUID } from 'node:crypto'
import { invalidField, serviceError } from '@trellis/kit/errors'
import type { Dependencies } from '../dependencies.ts'
import type { IncidentDb } from '../incidents/all-tables.ts'
import { entriesOfIncident, type IncidentEntriesOptions } from '../incidents/incident-entries.ts'
import type { Incidents } from '../incidents/incidents.ts'
import { presentIncident } from '../incidents/present.ts'
import { addEvent } from '../incidents/store.ts'
import { makeBundle, maxBundledEntries } from './bundle.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { readBundle, readBundleText } from './received-bundle.ts'
import { countBundles, insertBundle, insertSentBundle } from './store.ts'
import type { SentBundleTable } from './tables.ts'

export type Bundles = AsyncDisposable & {
  /** The address to which bundles are sent, without parts that may be secret; null if none is configured. */
  receiver: string | null
  /** Returns a bundle for download and, unless only its size and name are requested, records the export. Throws `not_found`. */
  download: (incidentId: string, options: DownloadOptions) => Promise<{ text: string; missing: readonly string[] }>
  /** Queues a bundle and tries to send it. Throws `not_found`, `unavailable` without an endpoint, `upstream_failed` if the receiver refuses it. */
  send: (incidentId: string, options: BundleOptions) => Promise<SentBundleTable>
  /** Stores a received bundle and returns its id, that of an earlier one with the same key. Throws `invalid` if the earlier one differs. */
  receive: (content: AsyncIterable<Uint8Array>, key: string | null) => Promise<string>
}

export type BundleOptions = { sanitize: boolean; signal?: AbortSignal | undefined }

export type DownloadOptions = BundleOptions & { isHeadOnly?: boolean | undefined }

export type BundlesOptions = {
  db: IncidentDb
  incidents: Pick<Incidents, 'get'>
  dependencies: Pick<Dependencies, 'engine' | 'upstream' | 'log' | 'now' | 'config'>
  /** Interval of the checks for bundles to send. */
  roundMilliseconds?: number
}

/** Maximum number of stored bundles; beyond it, receiving is a conflict. */
const maxBundles = 10_000

/** An address without parts that may be secret. */
const publicAddress = (address: string): string => {
  const { origin, pathname } = new URL(address)
  return origin + pathname
}

export const createBundles = (setup: BundlesOptions): Bundles => {
  const { db, incidents, dependencies, roundMilliseconds } = setup
  const { engine, now, config } = dependencies
  const { bundleEndpoint: endpoint, bundleToken: token } = config

  const event = async (incidentId: string, kind: string, detail: string) => {
    try {
      await addEvent(db, { incident_id: incidentId, kind, detail, at: now() })
    } catch (error) {
      // The incident may have been deleted meanwhile; the bundle was sent regardless.
      dependencies.log.debug({ err: error, incidentId }, 'the event of an incident could not be stored')
    }
  }
  const outbox: Outbox | undefined = endpoint
    ? createOutbox({
        db,
        dependencies,
        endpoint,
        token,
        ...(roundMilliseconds !== undefined && { roundMilliseconds }),
        concluded: async ({ incident_id, status, destination, last_error }) => {
          if (status === 'sent') await event(incident_id, 'sent', `The bundle was sent to ${destination}.`)
          else if (status === 'failed')
            await event(incident_id, 'send_failed', `The bundle could not be sent to ${destination}: ${last_error}`)
        },
      })
    : undefined

  const bundle = async (incidentId: string, { sanitize, signal }: BundleOptions) => {
    const incident = await incidents.get(incidentId)
    const search: IncidentEntriesOptions = {
      engine,
      db,
      limit: maxBundledEntries,
      ...(signal && { signal }),
    }
    const { entries, count, missing } = await entriesOfIncident(incident, search)
    const text = await makeBundle({
      incident: presentIncident(incident),
      entries,
      entryCount: count,
      sanitize,
      now: now(),
    })
    return { text, missing }
  }
  const record = (incidentId: string, sanitize: boolean): SentBundleTable => ({
    id: randomUUID(),
    incident_id: incidentId,
    destination: 'download',
    sanitized: sanitize ? 1 : 0,
    status: 'downloaded',
    sent_at: now(),
    created_at: now(),
    attempts: 0,
    next_attempt_at: null,
    claimed_until: 0,
    last_error: null,
    content: null,
  })
  const receiver = endpoint ? publicAddress(endpoint) : null
  return {
    receiver,
    download: async (incidentId, options) => {
      const bundled = await bundle(incidentId, options)
      if (options.isHeadOnly) return bundled
      await insertSentBundle(db, record(incidentId, options.sanitize))
      await event(
        incidentId,
        'downloaded',
        options.sanitize ? 'The bundle was downloaded, sanitized.' : 'The bundle was downloaded.',
      )
      return bundled
    },
    send: async (incidentId, options) => {
      await incidents.get(incidentId)
      if (!outbox || !receiver)
        throw serviceError('unavailable', 'No receiver of bundles is configured: set SERVICE_BUNDLE_ENDPOINT.')
      const { text } = await bundle(incidentId, options)
      const queued: SentBundleTable = {
        ...record(incidentId, options.sanitize),
        destination: receiver,
        status: 'queued',
        sent_at: null,
        next_attempt_at: now(),
        content: text,
      }
      await insertSentBundle(db, queued)
      const row = (await outbox.attempt(queued.id)) ?? queued
      if (row.status === 'failed')
        throw serviceError('upstream_failed', `The receiver of bundles refused it: ${row.last_error}`)
      if (row.status === 'queued') await event(incidentId, 'queued', `The bundle is queued for ${row.destination}.`)
      return row
    },
    receive: async (content, key) => {
      const row = readBundle(await readBundleText(content), {
        id: randomUUID(),
        sender_key: key,
        received_at: now(),
      })
      if ((await countBundles(db)) >= maxBundles)
        throw serviceError('conflict', `${maxBundles} bundles are stored already: delete some first.`)
      const stored = await insertBundle(db, row)
      if (stored.content !== row.content)
        throw invalidField(
          ['header', 'Idempotency-Key'],
          'Another bundle was received with this Idempotency-Key: send each bundle with a key of its own.',
        )
      return stored.id
    },
    [Symbol.asyncDispose]: async () => outbox?.[Symbol.asyncDispose](),
  }
}
