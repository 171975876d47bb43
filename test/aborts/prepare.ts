import { once } from 'node:events'
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { adminKey } from '../conformance/send.ts'
import { tune } from '../support/tune.ts'
import { routeFixtures } from './fixtures.ts'
import type { Fixtures } from './requests.ts'

export type Json = Record<string, unknown>

type Answer = { status: number; text: string }

/** Sends a request on its own connection, which closes after the answer, so that remaining connections are the installation's. */
const exchange = async (
  url: string,
  method: string,
  headers: OutgoingHttpHeaders,
  body?: Uint8Array,
): Promise<Answer> => {
  const sent = request(url, { method, agent: false, headers })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode ?? 0, text: Buffer.concat(await response.toArray()).toString() }
}

/** Calls routes of one installation; throws if the answer is not 2xx. */
export const createCaller = (origin: string) => {
  const call = async (method: string, path: string, headers: OutgoingHttpHeaders = {}, body?: Uint8Array) => {
    const all = { 'x-admin-key': adminKey, ...headers, ...(body && { 'content-length': body.length }) }
    const { status, text } = await exchange(`${origin}${path}`, method, all, body)
    if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${status} ${text}`)
    return text === '' ? {} : (JSON.parse(text) as Json)
  }
  const json = (method: string) => (path: string, body: unknown) =>
    call(method, path, { 'content-type': 'application/json' }, Buffer.from(JSON.stringify(body)))
  const [post, patch] = [json('POST'), json('PATCH')]
  return {
    get: (path: string): Promise<Json> => call('GET', path),
    delete: (path: string): Promise<Json> => call('DELETE', path),
    patch,
    post: (path: string, body: unknown = {}): Promise<Json> => post(path, body),
    postFile: async (path: string, name: string, content: Uint8Array, fields: Record<string, string> = {}) => {
      const form = new FormData()
      for (const [field, value] of Object.entries(fields)) form.append(field, value)
      form.append('file', new Blob([content as Uint8Array<ArrayBuffer>]), name)
      const encoded = new Response(form)
      const type = encoded.headers.get('content-type') ?? ''
      return call('POST', path, { 'content-type': type }, Buffer.from(await encoded.arrayBuffer()))
    },
  }
}

export type Caller = ReturnType<typeof createCaller>

const first = (list: unknown): Json => (list as Json[])[0] ?? {}

/** Long enough that an answer with several hundred of them exceeds the socket buffers. */
const longLine = (index: number) => `2026-03-01T09:15:02Z host app[7]: long line ${index} ${'abcdefgh '.repeat(450)}`

const dnsLine = (index: number) =>
  `Mar  1 09:15:0${index % 10} dnsmasq[811]: query[A] metrics${index}.example.com from 192.168.1.20`

const failedLogin = (index: number) =>
  `2026-03-01T09:16:${String(10 + index).padStart(2, '0')}Z gate sshd[811]: Failed password for root from 203.0.113.9 port 51022 ssh2`

const lines = (count: number, line: (index: number) => string) =>
  Buffer.from(`${Array.from({ length: count }, (_, index) => line(index)).join('\n')}\n`)

const eventually = async <Value>(look: () => Promise<Value | undefined>): Promise<Value> => {
  for (let left = 240; left > 0; left -= 1) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  throw new Error('The condition did not hold within 60 s.')
}

const upload = (call: Caller, source: string, content: Uint8Array) =>
  call.postFile('/logs/api/ingest/upload?wait=true', `${source}.log`, content, { source_id: source, year: '2026' })

/** Creates a detection of the security scorer and returns its id. */
const prepareDetection = async (call: Caller): Promise<string> => {
  await upload(call, 'gate', lines(20, failedLogin))
  const window = { since: '2026-03-01T00:00:00Z', until: '2026-03-02T00:00:00Z' }
  await eventually(() => call.post('/logs/api/cybersec/run', window).catch(() => undefined))
  const list = () => call.get('/logs/api/cybersec/detections?limit=1')
  return eventually(async () => first((await list()).detections).id as string | undefined)
}

const prepareChain = async (call: Caller, seconds: number) => {
  const chain = await call.postFile('/music/api/chains', 'tune.wav', tune({ seconds }))
  const nodeId = String(first(chain.nodes).node_id)
  const path = `/music/api/chains/${chain.chain_id}`
  const made = await call.post(`${path}/nodes/${nodeId}/branches`, { prompt: 'calm', duration_seconds: 5 })
  const takeId = String(first(made.nodes).node_id)
  await eventually(async () => {
    const { nodes } = await call.get(path)
    return (nodes as Json[]).find(({ node_id, status }) => node_id === takeId && status === 'ready')
  })
  const stems = `${path}/nodes/${takeId}/stems`
  await call.post(stems)
  await eventually(async () => (await call.get(stems)).status === 'ready' || undefined)
  return { chain_id: String(chain.chain_id), node_id: nodeId, take_id: takeId }
}

const prepareListing = async (call: Caller) => {
  const listing = first((await call.get('/listings/api/search?q=camera')).listings)
  return {
    platform_listing_id: String(listing.platform_listing_id),
    seller: String(listing.seller_platform_id),
  }
}

/** Lets a monitor alert once, and switches it off. */
const prepareAlert = async (call: Caller) => {
  const { id } = await call.post('/listings/api/saved-searches', { name: 'Cameras', query: 'camera' })
  const monitor = `/listings/api/saved-searches/${id}/monitor`
  await call.patch(monitor, { monitor_enabled: true, min_trust_score: 0 })
  const alert = await eventually(async () => ((await call.get('/listings/api/alerts?limit=1')).alerts as Json[])[0])
  await call.patch(monitor, { monitor_enabled: false })
  return { saved_id: String(id), alert_id: String(alert.id) }
}

export type Surroundings = {
  /** Settings for the external servers; without them, the routes that need these servers fail. */
  settings?: Record<string, string>
  /** A log file that the installation is allowed to collect. */
  logFile?: string
  /** Whether some answers exceed the socket buffers. */
  withLongAnswers?: boolean
}

/** Creates one resource of each kind for the requests of the routes. */
export const prepare = async (
  origin: string,
  { settings, logFile, withLongAnswers = false }: Surroundings = {},
): Promise<Fixtures> => {
  const call = createCaller(origin)
  if (settings) await call.patch('/logs/api/settings', settings)
  if (logFile)
    await call.post('/logs/api/setup/write', { sources: [{ id: 'collected', glean_type: 'file', path: logFile }] })
  await call.post('/logs/api/glean/batch', { source_id: 'app', entries: [{ text: 'first', severity: 'ERROR' }] })
  const task = await upload(call, 'long', lines(withLongAnswers ? 600 : 20, longLine))
  await upload(call, 'pihole', lines(40, dnsLine))
  const candidateIds = await eventually(async () => {
    await call.post('/logs/api/blocklist/scan').catch(() => undefined)
    const { candidates } = await call.get('/logs/api/blocklist/candidates?limit=3')
    return (candidates as Json[]).length === 3 ? (candidates as Json[]).map(({ id }) => String(id)) : undefined
  })
  const [incident, branch, chain, listing, alert, detection] = [
    await call.post('/logs/api/incidents', { label: 'one' }),
    await call.post('/logs/api/orchard/graft', { label: 'barn' }),
    await prepareChain(call, withLongAnswers ? 20 : 6),
    await prepareListing(call),
    await prepareAlert(call),
    await prepareDetection(call),
  ]
  const [entries, templates] = [
    await call.get('/logs/api/search?source=app&limit=1'),
    await call.get('/logs/api/templates?limit=1'),
  ]
  const values = {
    ...chain,
    ...listing,
    ...alert,
    id: String(incident.id),
    task_id: String(task.task_id ?? task.id),
    slug: 'barn',
    entry_id: String(first(entries.entries).entry_id),
    candidate_id: candidateIds[0] ?? '',
    pushed_candidate_id: candidateIds[1] ?? '',
    unblocked_candidate_id: candidateIds[2] ?? '',
    template_id: String(first(templates.templates).template_id),
    detection_id: detection,
    source_id: 'app',
    ...(logFile && { log_file: logFile }),
  }
  return {
    headers: { 'x-admin-key': adminKey },
    branchKey: String(branch.api_key),
    values,
    routes: routeFixtures(call, values),
  }
}
