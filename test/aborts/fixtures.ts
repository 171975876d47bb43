import { homedir } from 'node:os'
import { join } from 'node:path'
import { tune } from '../support/tune.ts'
import type { Caller, Json } from './prepare.ts'

/** Parts of a request that replace the examples of the OpenAPI document. */
export type RequestParts = {
  /** Path parameters by name. */
  path?: Record<string, string>
  /** All query parameters, in place of the examples. */
  query?: Record<string, string>
  headers?: Record<string, string>
  /** The JSON body. */
  body?: unknown
}

/** The parts with which a request of a route succeeds. A route with several fixtures gets one request for each. */
export type Fixture = RequestParts & {
  /** Creates a resource that one request consumes; the returned parts override the others. */
  fresh?: () => Promise<RequestParts>
}

type Values = Record<string, string>

const idOf = (made: Json) => String(made.id)
const path = (id: string): RequestParts => ({ path: { id } })

let count = 0
const unique = (what: string) => {
  count += 1
  return `${what}-${process.pid}-${count}`
}

const listings = (call: Caller, values: Values): Record<string, Fixture | Fixture[]> => {
  const session = async (): Promise<RequestParts> => {
    const made = await call.get(`/listings/api/search/async?q=${unique('camera')}`)
    return { path: { session_id: String(made.session_id) } }
  }
  const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString()
  const saved = { name: 'Saved', query: 'camera' }
  const savedId = (id: string | undefined): RequestParts => ({ path: { saved_id: id ?? '' } })
  /** Each user may save a limited number of searches. */
  const makeRoom = async (): Promise<RequestParts> => {
    const { saved_searches } = await call.get('/listings/api/saved-searches')
    const surplus = (saved_searches as Json[]).length > 200 ? (saved_searches as Json[]).slice(0, 150) : []
    for (const { id } of surplus) await call.delete(`/listings/api/saved-searches/${id}`)
    return {}
  }
  return {
    'POST /listings/api/saved-searches': { fresh: makeRoom },
    'DELETE /listings/api/saved-searches/{saved_id}': {
      fresh: async () => savedId(idOf(await call.post('/listings/api/saved-searches', saved))),
    },
    'PATCH /listings/api/saved-searches/{saved_id}/run': savedId(values.saved_id),
    // It stays switched off, so that no run changes what the matrix counts.
    'PATCH /listings/api/saved-searches/{saved_id}/monitor': {
      ...savedId(values.saved_id),
      body: { monitor_enabled: false, poll_interval_min: 30 },
    },
    'POST /listings/api/alerts/{id}/dismiss': path(values.alert_id ?? ''),
    'POST /listings/api/alerts/{id}/snooze': { ...path(values.alert_id ?? ''), body: { until: tomorrow } },
    'GET /listings/api/alerts/feed': {
      fresh: async () => {
        const { token } = await call.post('/listings/api/alert-settings/feed')
        return { query: { token: String(token) } }
      },
    },
    // Without a webhook, so that nothing is sent to other servers.
    'PUT /listings/api/alert-settings': {
      body: { quiet_hours: { start: '22:00', end: '07:00', time_zone: 'UTC' } },
    },
    'GET /listings/api/search': [{ query: { q: 'camera' } }, { query: { q: 'lens', pages: '2' } }],
    'GET /listings/api/updates/{session_id}': { fresh: session },
    'DELETE /listings/api/updates/{session_id}': { fresh: session },
    'POST /listings/api/enrich': {
      query: { seller: values.seller ?? '', listing_id: values.platform_listing_id ?? '' },
    },
  }
}

const collecting = (call: Caller, values: Values): Record<string, Fixture | Fixture[]> => ({
  'POST /logs/api/ingest/upload': [{ query: { wait: 'true' } }, {}],
  'DELETE /logs/api/sources/{source_id}': {
    fresh: async () => {
      const source_id = unique('source')
      await call.post('/logs/api/glean/batch', { source_id, entries: [{ text: 'one' }] })
      return { path: { source_id } }
    },
  },
  'POST /logs/api/sources/{source_id}/glean': { path: { source_id: 'collected' }, query: { force: 'true' } },
  'POST /logs/api/setup/write': {
    body: { sources: [{ id: 'matrix', glean_type: 'file', path: values.log_file ?? '/dev/null' }] },
  },
  'PATCH /logs/api/settings': { body: { tech_level: 'executive' } },
})

const searching = (values: Values): Record<string, Fixture | Fixture[]> => ({
  'GET /logs/api/search': [{ query: { limit: '1000', source: 'long' } }, { query: { q: 'line -many', limit: '20' } }],
  'GET /logs/api/tail': [{ query: { history: '500', source: 'long' } }, {}],
  'GET /logs/api/templates': [{}, { query: { limit: '5' } }],
  'GET /logs/api/tasks/{task_id}/events': {},
  'POST /logs/api/diagnose': { body: { query: 'why did the app stop?' } },
  'POST /logs/api/diagnose/stream': { body: { query: 'why did the app stop?' } },
  'POST /logs/api/anomaly/detections/{id}/acknowledge': { path: { id: values.detection_id ?? '' } },
})

/** Branches are processes, so each request first deletes the branch created for the previous one. */
const branches = (call: Caller): Record<string, Fixture> => {
  let last: string | undefined
  const endLast = async (): Promise<void> => {
    const slug = last
    last = undefined
    if (slug !== undefined) await call.delete(`/logs/api/orchard/branches/${slug}`).catch(() => undefined)
  }
  return {
    'POST /logs/api/orchard/graft': {
      fresh: async () => {
        await endLast()
        last = unique('grafted')
        return { body: { label: last, slug: last } }
      },
    },
    'DELETE /logs/api/orchard/branches/{slug}': {
      fresh: async () => {
        // When the branch limit is reached, the existing branch is activated again.
        await call.post('/logs/api/orchard/graft', { label: 'leaf', slug: 'leaf' }).catch(() => undefined)
        await call.post('/logs/api/orchard/branches/leaf/activate').catch(() => undefined)
        return { path: { slug: 'leaf' } }
      },
    },
  }
}

const blocklist = (call: Caller, values: Values): Record<string, Fixture> => {
  const at = '/logs/api/blocklist/candidates'
  // Another request may have approved or blocked it already.
  const approve = async (id = '') => {
    await call.post(`${at}/${id}/unblock`).catch(() => undefined)
    await call.patch(`${at}/${id}`, { status: 'approved' }).catch(() => undefined)
    return path(id)
  }
  return {
    'PATCH /logs/api/blocklist/candidates/{id}': path(values.candidate_id ?? ''),
    'POST /logs/api/blocklist/candidates/{id}/push': { fresh: () => approve(values.pushed_candidate_id) },
    'POST /logs/api/blocklist/candidates/{id}/unblock': {
      fresh: async () => {
        const approved = await approve(values.unblocked_candidate_id)
        await call.post(`${at}/${values.unblocked_candidate_id}/push`).catch(() => undefined)
        return approved
      },
    },
  }
}

const context = (call: Caller): Record<string, Fixture> => {
  const doc = async (): Promise<RequestParts> => {
    const made = await call.post('/logs/api/context/docs', { title: unique('doc'), text: 'Read me.' })
    return { path: { doc_id: idOf(made) } }
  }
  return {
    'GET /logs/api/context/docs/{doc_id}': { fresh: doc },
    'DELETE /logs/api/context/docs/{doc_id}': { fresh: doc },
    'DELETE /logs/api/context/docs': { query: { all: 'true' } },
    'DELETE /logs/api/context/facts': { query: { all: 'true' } },
    'DELETE /logs/api/context/facts/{fact_id}': {
      fresh: async () => {
        const fact = { category: 'host', key: unique('key'), value: 'x' }
        return { path: { fact_id: idOf(await call.post('/logs/api/context/facts', fact)) } }
      },
    },
  }
}

const incidents = (call: Caller, values: Values): Record<string, Fixture | Fixture[]> => {
  const entries = { entry_ids: [values.entry_id] }
  const bundle = async (): Promise<RequestParts> =>
    path(
      idOf(
        await call.post('/logs/api/bundles', {
          bundle_version: 1,
          exported_at: '2026-03-01T10:00:00Z',
          incident: { label: unique('bundle') },
          entries: [],
        }),
      ),
    )
  return {
    'PATCH /logs/api/incidents/{id}': { body: { status: 'acknowledged' } },
    'DELETE /logs/api/incidents/{id}': {
      fresh: async () => path(idOf(await call.post('/logs/api/incidents', { label: unique('incident') }))),
    },
    'POST /logs/api/incidents': { body: { label: 'Checkout is down', query: 'long', source_id: 'long' } },
    'POST /logs/api/incidents/{id}/entries': { body: entries },
    'POST /logs/api/incidents/{id}/export': { body: { tracker: 'jira', again: true } },
    'DELETE /logs/api/incidents/{id}/entries/{entry_id}': {
      fresh: async () => {
        await call.post(`/logs/api/incidents/${values.id}/entries`, entries)
        return { path: { id: values.id ?? '', entry_id: values.entry_id ?? '' } }
      },
    },
    'GET /logs/api/bundles/{id}': { fresh: bundle },
    'DELETE /logs/api/bundles/{id}': { fresh: bundle },
  }
}

const sshTargets = (call: Caller): Record<string, Fixture> => {
  const key_path = join(homedir(), '.ssh', 'id_ed25519')
  const target = () => ({ label: unique('nas'), host: '127.0.0.1', port: 9, user: 'logs', key_path })
  const made = async (): Promise<RequestParts> => path(idOf(await call.post('/logs/api/ssh-targets', target())))
  return {
    'POST /logs/api/ssh-targets': { fresh: async () => ({ body: target() }) },
    'PATCH /logs/api/ssh-targets/{id}': {
      fresh: async () => ({ ...(await made()), body: { label: unique('renamed') } }),
    },
    'DELETE /logs/api/ssh-targets/{id}': { fresh: made },
    'POST /logs/api/ssh-targets/{id}/test': { fresh: async () => ({ ...(await made()), body: {} }) },
  }
}

const music = (call: Caller, values: Values): Record<string, Fixture | Fixture[]> => {
  const take = { path: { node_id: values.take_id ?? '' } }
  const branches = { prompt: 'calm', duration_seconds: 5, takes: 1 }
  const node = async (): Promise<RequestParts> => {
    const made = await call.post(`/music/api/chains/${values.chain_id}/nodes/${values.node_id}/branches`, branches)
    return { path: { chain_id: values.chain_id ?? '', node_id: String((made.nodes as Json[])[0]?.node_id) } }
  }
  const session = async (): Promise<RequestParts> => {
    const made = await call.post('/music/api/gpu/sessions').catch((): Json => ({ session_id: 'none' }))
    return { path: { session_id: String(made.session_id) } }
  }
  const at = '/music/api/chains/{chain_id}'
  return {
    [`PATCH ${at}`]: { body: { name: 'Renamed' } },
    [`DELETE ${at}`]: {
      fresh: async () => {
        const made = await call.postFile('/music/api/chains', 'tune.wav', tune({ seconds: 1 }))
        return { path: { chain_id: String(made.chain_id) } }
      },
    },
    [`POST ${at}/nodes/{node_id}/branches`]: { body: branches },
    [`DELETE ${at}/nodes/{node_id}`]: { fresh: node },
    [`POST ${at}/nodes/{node_id}/commit`]: take,
    [`POST ${at}/nodes/{node_id}/discard`]: take,
    [`POST ${at}/nodes/{node_id}/retry`]: take,
    [`POST ${at}/nodes/{node_id}/stems`]: take,
    [`GET ${at}/nodes/{node_id}/stems`]: take,
    [`GET ${at}/nodes/{node_id}/stems/{name}`]: [take, { ...take, query: { format: 'mp3' } }],
    [`DELETE ${at}/nodes/{node_id}/stems`]: { fresh: node },
    [`POST ${at}/export`]: [{ body: { format: 'wav' } }, { body: { format: 'mp3', normalize: true } }],
    [`GET ${at}/nodes/{node_id}/audio`]: [{}, { headers: { range: 'bytes=0-' } }],
    'PUT /music/api/gpu/sessions/{session_id}': { fresh: session },
    'DELETE /music/api/gpu/sessions/{session_id}': { fresh: session },
  }
}

/** Fixtures by method and path, for an installation with these values. Other routes succeed with the document's examples. */
export const routeFixtures = (call: Caller, values: Values): Record<string, Fixture | Fixture[]> => ({
  ...listings(call, values),
  ...collecting(call, values),
  ...searching(values),
  ...branches(call),
  ...blocklist(call, values),
  ...context(call),
  ...incidents(call, values),
  ...sshTargets(call),
  ...music(call, values),
})
