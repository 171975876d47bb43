import { createHash } from 'node:crypto'
import { tune } from '../support/tune.ts'
import { waitFor } from '../support/wait-for.ts'

/**
 * The version that wrote the data. Never move it to a later commit without a reason: installations skip versions. A format
 * that may no longer be read, and every other incompatibility, is a decision that belongs in the release notes. Packages that only it imports
 * (`@wasm-audio-decoders/flac`) are dependencies of the tests.
 */
export const earlier = '587f686675f84c20010b9ec2ba8f276926ee9679'

const json = { 'content-type': 'application/json' }

/** A client of an installation, which throws at every unexpected answer. The headers go with each request. */
export const clientOf = (origin: string, headers: Record<string, string> = {}) => {
  const call = async (path: string, init: { method?: string; headers?: object; body?: FormData | string } = {}) => {
    const response = await fetch(`${origin}${path}`, { ...init, headers: { ...headers, ...init.headers } })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response
  }
  const read = async <Answer = unknown>(path: string): Promise<Answer> => (await (await call(path)).json()) as Answer
  const post = async <Answer = unknown>(path: string, body: object | FormData = {}): Promise<Answer> => {
    const isForm = body instanceof FormData
    const init = { method: 'POST', ...(isForm ? { body } : { headers: json, body: JSON.stringify(body) }) }
    return (await (await call(path, init)).json()) as Answer
  }
  return { call, read, post }
}
export type Client = ReturnType<typeof clientOf>

const fileForm = (content: Uint8Array | string, name: string, fields: Record<string, string> = {}): FormData => {
  const data = new FormData()
  for (const [field, value] of Object.entries(fields)) data.append(field, value)
  data.append('file', new Blob([content as Uint8Array<ArrayBuffer>]), name)
  return data
}

const lines = Array.from(
  { length: 500 },
  (_, at) => `Mar  1 09:15:${String(at % 60).padStart(2, '0')} garden app[7]: error: cannot open ledger ${at}`,
).join('\n')

type Found = { session_id: string; listings: { platform_listing_id: string; seller_platform_id: string }[] }

const writeListings = async ({ call, read, post }: Client): Promise<string[]> => {
  const { session_id: session, listings } = await read<Found>('/listings/api/search?q=camera')
  const [first] = listings
  if (!first) throw new Error('The search found nothing.')
  // It goes on in the background. If its process ended before it did, the next would start it again.
  await (await call(`/listings/api/updates/${session}`)).text()
  await post('/listings/api/saved-searches', { name: 'Laptops', query: 'thinkpad', filters_json: '{"max_price":600}' })
  const seller = { platform_seller_id: first.seller_platform_id, username: 'a seller' }
  await post('/listings/api/blocklist', { ...seller, reason: 'sent an empty box' })
  return [
    `/listings/api/listings/${first.platform_listing_id}`,
    '/listings/api/saved-searches',
    '/listings/api/blocklist',
    '/listings/api/preferences',
  ]
}

/** Uploads a log and opens an incident; returns the paths that show them. */
export const writeLogs = async ({ post }: Client): Promise<string[]> => {
  const fields = { source_id: 'garden', year: '2026', timezone: 'UTC' }
  await post('/logs/api/ingest/upload?wait=true', fileForm(lines, 'garden.log', fields))
  await post('/logs/api/incidents', { label: 'The ledger is gone', severity: 'ERROR', query: 'ledger', notes: 'Look.' })
  return ['/logs/api/search?q=ledger&limit=100', '/logs/api/sources', '/logs/api/incidents', '/logs/api/templates']
}

type Chain = { chain_id: string; root_node_id: string; nodes: { node_id: string; status: string }[] }

const writeMusic = async ({ read, post }: Client): Promise<string[]> => {
  const content = tune({ seconds: 8, sampleRate: 22_050 })
  const chain = await post<Chain>('/music/api/chains', fileForm(content, 'tune.wav', { name: 'My tune' }))
  const path = `/music/api/chains/${chain.chain_id}`
  await post(`${path}/nodes/${chain.root_node_id}/branches`, { duration_seconds: 3, seed: 7, generator: 'recombine' })
  const take = await waitFor(async () => {
    const { nodes } = await read<Chain>(path)
    const ready = nodes.find(({ node_id, status }) => node_id !== chain.root_node_id && status === 'ready')
    if (!ready) throw new Error(`No take is ready: ${JSON.stringify(nodes)}`)
    return ready
  })
  await post(`${path}/nodes/${take.node_id}/commit`)
  return [path, '/music/api/chains', `${path}/nodes/${take.node_id}/audio`, `${path}/nodes/${chain.root_node_id}/peaks`]
}

/** Whether a member of an answer may differ at the next request: a duration, or the score of an entry that has none yet. */
const isPassing = (name: string, value: unknown): boolean =>
  name === 'took_ms' || (name.startsWith('anomaly_') && value === null)

/** What an installation answers at a path: JSON without passing members, or the digest of other content. */
const answerAt = async ({ call }: Client, path: string): Promise<unknown> => {
  const response = await call(path)
  if (response.headers.get('content-type')?.includes('json'))
    return JSON.parse(await response.text(), (name, value) => (isPassing(name, value) ? undefined : value))
  return createHash('sha256')
    .update(Buffer.from(await response.arrayBuffer()))
    .digest('hex')
}

/** What an installation answers at each path. */
export const answersAt = async (client: Client, paths: readonly string[]): Promise<Record<string, unknown>> =>
  Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await answerAt(client, path)] as const)))

/** Writes data of all services; returns the paths that show it. */
export const writeAll = async (client: Client): Promise<string[]> =>
  (await Promise.all([writeListings(client), writeLogs(client), writeMusic(client)])).flat()
