import { randomUUID } from 'node:crypto'
import { serviceError } from '@trellis/kit/errors'
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
  /** A bundle to be downloaded, which is recorded. Throws `not_found`. */
  download: (incidentId: string, options: BundleOptions) => Promise<{ text: string; missing: readonly string[] }>
  /** Queues a bundle and tries to send it. Throws `not_found`, `unavailable` without an endpoint, `upstream_failed` when the receiver refused it. */
  send: (incidentId: string, options: BundleOptions) => Promise<SentBundleTable>
  /** Keeps a bundle of others; gives its id. */
  receive: (content: AsyncIterable<Uint8Array>, key: string | null) => Promise<string>
}

export type BundleOptions = { sanitize: boolean; signal?: AbortSignal | undefined }

export type BundlesOptions = {
  db: IncidentDb
  incidents: Pick<Incidents, 'get'>
  dependencies: Pick<Dependencies, 'engine' | 'upstream' | 'log' | 'now' | 'config'>
  /** How often it is looked what is due to be sent. */
  roundMilliseconds?: number
}

/** More than these are not kept; who sends them finds out. */
const maxBundles = 10_000

/** An address without what may be secret in it. */
const shownAddress = (address: string): string => {
  const { origin, pathname } = new URL(address)
  return origin + pathname
}

export const createBundles = (options: BundlesOptions): Bundles => {
  const { db, incidents, dependencies, roundMilliseconds } = options
  const { engine, now, config } = dependencies
  const { bundleEndpoint: endpoint, bundleToken: token } = config

  const event = async (incidentId: string, kind: string, detail: string) => {
    try {
      await addEvent(db, { incident_id: incidentId, kind, detail, at: now() })
    } catch (error) {
      // The incident may have been deleted meanwhile; what was sent was sent.
      dependencies.log.debug({ err: error, incidentId }, 'no event of an incident could be kept')
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
          if (status === 'sent') await event(incident_id, 'sent', `To ${destination}.`)
          else if (status === 'failed') await event(incident_id, 'send_failed', `To ${destination}: ${last_error}`)
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
  return {
    download: async (incidentId, given) => {
      const made = await bundle(incidentId, given)
      await insertSentBundle(db, record(incidentId, given.sanitize))
      await event(incidentId, 'downloaded', given.sanitize ? 'The bundle, sanitized.' : 'The bundle.')
      return made
    },
    send: async (incidentId, given) => {
      await incidents.get(incidentId)
      if (!outbox || !endpoint)
        throw serviceError('unavailable', 'No receiver of bundles is configured: set SERVICE_BUNDLE_ENDPOINT.')
      const { text } = await bundle(incidentId, given)
      const queued: SentBundleTable = {
        ...record(incidentId, given.sanitize),
        destination: shownAddress(endpoint),
        status: 'queued',
        sent_at: null,
        next_attempt_at: now(),
        content: text,
      }
      await insertSentBundle(db, queued)
      const row = (await outbox.attempt(queued.id)) ?? queued
      if (row.status === 'failed')
        throw serviceError('upstream_failed', `The receiver of bundles refused it: ${row.last_error}`)
      if (row.status === 'queued') await event(incidentId, 'queued', `For ${row.destination}.`)
      return row
    },
    receive: async (content, key) => {
      const row = readBundle(await readBundleText(content), {
        id: randomUUID(),
        sender_key: key,
        received_at: now(),
      })
      if ((await countBundles(db)) >= maxBundles)
        throw serviceError('conflict', `${maxBundles} bundles are kept already: delete some first.`)
      return await insertBundle(db, row)
    },
    [Symbol.asyncDispose]: async () => outbox?.[Symbol.asyncDispose](),
  }
}
