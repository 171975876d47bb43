import type { Routes } from '@trellis/protos/edge/client.ts'
import { untrack } from 'svelte'
import { withBase } from '../url/facts.ts'
import { afterNetworkChange, connection } from './connection.svelte.ts'
import { Failure, failureOf, isAbort, toFailure } from './failure.ts'
import { credentialsOf, keys, promptForKey } from './keys.svelte.ts'
import { type QueryValue, requestUrl } from './request-url.ts'

export type { Routes } from '@trellis/protos/edge/client.ts'

export type RouteName = keyof Routes
export type Answer<Name extends RouteName> = Routes[Name]['answer']

type RequiredKeys<Type> = { [Key in keyof Type]-?: object extends Pick<Type, Key> ? never : Key }[keyof Type]
type Part<Name extends string, Type> = [RequiredKeys<Type>] extends [never]
  ? { [Key in Name]?: Type }
  : { [Key in Name]: Type }
type BodyPart<Body> = [Body] extends [undefined]
  ? { body?: undefined }
  : Body extends string | Blob | FormData
    ? { body: Body }
    : Part<'body', Body>

/** Path, query and body of a route, mandatory where the route requires something in them. */
export type RequestOf<Name extends RouteName> = Part<'path', Routes[Name]['path']> &
  Part<'query', Routes[Name]['query']> &
  BodyPart<Routes[Name]['body']>

export type Send = (url: string, init: RequestInit) => Promise<Response>

export type CallOptions = {
  signal?: AbortSignal
  /** A 401 does not open the key dialog. */
  quiet?: boolean
  headers?: Record<string, string>
  /** Sends the request in the place of `fetch`, such as with its progress. */
  send?: Send
}

type AnyRequest = {
  path?: Record<string, string | number>
  query?: Record<string, QueryValue>
  body?: unknown
}

type Arguments<Name extends RouteName> =
  object extends RequestOf<Name>
    ? [request?: RequestOf<Name>, options?: CallOptions]
    : [request: RequestOf<Name>, options?: CallOptions]

const split = (name: string): { method: string; path: string } => {
  const [method = 'GET', path = ''] = name.split(' ')
  return { method, path }
}

/** The address of a route, for links and downloads. */
export const urlOf = <Name extends RouteName>(name: Name, request: Omit<AnyRequest, 'body'> = {}): string =>
  withBase(requestUrl(split(name).path, request.path, request.query))

const isRaw = (body: unknown): body is FormData | Blob | string =>
  body instanceof FormData || body instanceof Blob || typeof body === 'string'

const bodyOf = (body: unknown): Pick<RequestInit, 'body' | 'headers'> => {
  if (body === undefined) return {}
  if (isRaw(body)) return { body }
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}

const jsonOf = async (response: Response): Promise<unknown> => {
  try {
    return await response.json()
  } catch {
    return null
  }
}

/** Whether the user is leaving the page: requests then outlive it (`keepalive`). */
let isLeaving = false
window.addEventListener('pagehide', () => (isLeaving = true))
window.addEventListener('pageshow', () => (isLeaving = false))

/** Sends a request; a GET that a network error hits is sent once more, a moment later. */
const send = async (url: string, init: RequestInit, isSafe: boolean, by: Send = fetch): Promise<Response> => {
  try {
    const response = await by(url, init)
    connection.answered()
    return response
  } catch (error) {
    if (isAbort(error) || init.signal?.aborted) throw error
    if (isSafe) {
      await afterNetworkChange()
      return send(url, init, false, by)
    }
    connection.lost()
    throw toFailure(error)
  }
}

/** Sends a request and reads its whole answer: one that is cut off is an error of the network like one that does not come. */
const whole =
  (by: Send): Send =>
  async (url, init) => {
    const response = await by(url, init)
    return response.status === 204 ? response : new Response(await response.blob(), response)
  }

/** Fetches the bytes from `start` to before `end` of an address that `urlOf` built; throws a Failure like `request`. */
export const fetchRange = async (
  url: string,
  start: number,
  end: number,
  signal: AbortSignal,
): Promise<ArrayBuffer> => {
  const response = await send(url, { headers: { range: `bytes=${start}-${end - 1}` }, signal }, true, whole(fetch))
  if (!response.ok) throw failureOf(response.status, await jsonOf(response), response.headers)
  const bytes = await response.arrayBuffer()
  return response.status === 206 ? bytes : bytes.slice(start, end)
}

/** What is shown when a page arrives in the place of an answer. */
const answeredByProxy = {
  status: 502,
  detail:
    'The answer is not of this server, but perhaps of a proxy before it that requires signing in. Load the page again.',
}

/** Opens the session of the listings again if it was lost, as with the cookies of the browser; resolves to whether it was. */
let renewSession = async (): Promise<boolean> => false
export const renewSessionBy = (renew: typeof renewSession): void => {
  renewSession = renew
}
/** What visitors without a session get for what they may not change, and for what is not stored for them. */
const isWithoutSession = (path: string, { status }: Failure): boolean =>
  path.startsWith('/listings/') && (status === 403 || status === 404)

/** Requests a route and returns the whole response; throws a Failure for statuses of 400 and more. */
export const request = async (
  name: RouteName,
  sent: AnyRequest = {},
  options: CallOptions = {},
  isRepeated = false,
): Promise<Response> => {
  const { path: parameters, query, body } = sent
  const { signal, quiet = false, headers = {}, send: by } = options
  const { method, path } = split(name)
  const sentWith = untrack(() => keys.version)
  const { headers: bodyHeaders, ...content } = bodyOf(body)
  const init: RequestInit = {
    method,
    keepalive: isLeaving,
    ...content,
    ...(signal ? { signal } : {}),
    headers: { accept: 'application/json, */*;q=0.5', ...bodyHeaders, ...credentialsOf(path), ...headers },
  }
  const response = await send(withBase(requestUrl(path, parameters, query)), init, method === 'GET', by)
  if (response.ok) {
    // No route answers with a page.
    if (response.headers.get('content-type')?.startsWith('text/html')) throw new Failure(answeredByProxy)
    return response
  }
  const failure = failureOf(response.status, await jsonOf(response), response.headers)
  // A key that was entered since may be the right one.
  if (failure.status === 401 && !quiet && sentWith === untrack(() => keys.version))
    promptForKey(path, method, failure.message)
  if (!isRepeated && isWithoutSession(path, failure) && (await renewSession()))
    return request(name, sent, options, true)
  throw failure
}

/**
 * Calls a route by its method and path, typed by the protos: `await call('GET /logs/api/search', { query: { q: 'disk' } })`.
 * Throws a Failure in the server's words, or an AbortError.
 */
export const call = async <Name extends RouteName>(
  name: Name,
  ...[sent, options]: Arguments<Name>
): Promise<Answer<Name>> => {
  const response = await request(name, sent as AnyRequest | undefined, {
    ...options,
    send: whole(options?.send ?? fetch),
  })
  const type = response.headers.get('content-type') ?? ''
  if (response.status === 204) return undefined as Answer<Name>
  return (type.startsWith('application/json') ? await response.json() : await response.blob()) as Answer<Name>
}

export { Failure }
