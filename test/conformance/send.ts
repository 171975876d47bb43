import type { Route, Schema } from './document.ts'

export type Input = {
  path: Record<string, string>
  query: Record<string, string>
  headers: Record<string, string>
  body?: NonNullable<RequestInit['body']>
}

export type Answer = { status: number; mediaType: string; headers: Headers; text: string }

const readLimitMilliseconds = 1_500
const readLimitBytes = 4 * 1024 * 1024

/** Reads an answer; of an event stream, only the beginning. */
const read = async (response: Response, leave: () => void): Promise<string> => {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  const timer = setTimeout(leave, isStream ? 150 : readLimitMilliseconds * 10)
  try {
    for (let next = await reader.read(); !next.done && size < readLimitBytes; next = await reader.read()) {
      chunks.push(next.value)
      size += next.value.byteLength
    }
  } catch (error) {
    if (!isStream) throw error
  } finally {
    clearTimeout(timer)
    leave()
  }
  return Buffer.concat(chunks).toString()
}

const headerText = (text: string) => Buffer.from(text.replaceAll(/[^\x20-\x7e]/g, '_')).toString('latin1')

/** The admin key for routes that manage branches; the installation under test is configured with it. */
export const adminKey = 'conformance-admin-key'

/** The five settings of account deletion notifications, without which their routes answer 500. */
export const webhookEnvironment = {
  MARKETPLACE_NOTIFICATION_TOKEN: 'conformance-notification-token',
  MARKETPLACE_NOTIFICATION_ENDPOINT: 'https://trellis.example/listings/api/marketplace/account-deletion',
  MARKETPLACE_APP_ID: 'app',
  MARKETPLACE_CERT_ID: 'cert',
  MARKETPLACE_WEBHOOK_VERIFY_SIGNATURES: '1',
}

const keysOf = ({ operation }: Route): Record<string, string> =>
  operation.security?.some((scheme) => 'adminKey' in scheme) ? { 'x-admin-key': adminKey } : {}

/** Sends one request for a route. */
export const send = async (origin: string, route: Route, input: Input): Promise<Answer> => {
  const { path, method } = route
  const filled = path.replaceAll(
    /\{([a-z0-9_]+)\}/g,
    (_, name: string) => encodeURIComponent(input.path[name] ?? 'x') || '%20',
  )
  const query = new URLSearchParams(input.query).toString()
  const controller = new AbortController()
  const response = await fetch(`${origin}${filled}${query ? `?${query}` : ''}`, {
    method,
    headers: Object.fromEntries(
      Object.entries({ ...input.headers, ...keysOf(route) }).map(([name, value]) => [name, headerText(value)]),
    ),
    redirect: 'manual',
    signal: controller.signal,
    ...(input.body === undefined ? {} : { body: input.body }),
  })
  const mediaType = (response.headers.get('content-type') ?? '').split(';')[0] ?? ''
  const text = method === 'HEAD' ? '' : await read(response, () => controller.abort())
  return { status: response.status, mediaType, headers: response.headers, text }
}

/** The documented schema of an answer, if it is JSON. */
export const documentedSchema = ({ operation }: Route, status: number): Schema | undefined =>
  operation.responses[String(status)]?.content?.['application/json']?.schema
