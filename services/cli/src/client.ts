import { hasCode } from './explained.ts'
import { CommandFailure } from './failure.ts'

/** The REST API of a server. */
export type Client = {
  readonly origin: string
  /** Sends a request and returns the JSON of its answer. Throws CommandFailure with the server's words for an error. */
  readonly call: <Answer>(path: string, options?: CallOptions) => Promise<Answer>
  /**
   * Sends a request and returns its response, whatever the status. Rejects with CommandFailure if there is no answer, and with the reason of a signal
   * that has aborted.
   */
  readonly send: (path: string, options?: SendOptions) => Promise<Response>
  /**
   * The JSON of a response. Throws CommandFailure with the server's words for an error, with the cause for an answer that is cut off, and without one
   * for what is no answer of Trellis.
   */
  readonly answerOf: <Answer>(response: Response) => Promise<Answer>
}

export type CallOptions = {
  readonly method?: 'GET' | 'POST'
  /** Query parameters; undefined ones are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>
  /** Sent as JSON. */
  readonly body?: unknown
}

export type SendOptions = CallOptions & {
  readonly headers?: Readonly<Record<string, string>>
  /** Ends the request, also while its body is read. By default a time limit does. */
  readonly signal?: AbortSignal
}

/** Longer than the longest search takes. */
const timeoutMilliseconds = 120_000

/** The heading of a page that a proxy sends in the place of an answer. */
const headingOf = (page: string): string | undefined =>
  /<(?:title|h1)[^>]*>([^<]+)/i.exec(page)?.[1]?.replaceAll(/\s+/g, ' ').trim()

/** The words of an error answer: `detail` is a sentence, a list of fields, or an object with a message. */
const detailOf = (text: string): string => {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown }
    if (typeof detail === 'string') return detail
    if (Array.isArray(detail))
      return detail.map(({ loc, msg }: { loc: string[]; msg: string }) => `${loc.join('.')}: ${msg}`).join('; ')
    return JSON.stringify(detail ?? text)
  } catch {
    return (/^\s*</.test(text) ? headingOf(text) : undefined) ?? text.slice(0, 500)
  }
}

/** The failure that an error response describes. A value that the server refuses is one that the command was called wrongly with. */
export const failureOf = async (response: Response): Promise<CommandFailure> => {
  // The status says enough where the words are cut off.
  const text = await response.text().catch(() => '')
  const words = detailOf(text) || response.statusText || 'no reason was given.'
  return new CommandFailure(`${response.status}: ${words}`, response.status === 422 ? 2 : 1)
}

const isCertificateCode = (code: string): boolean => /^(ERR_TLS_CERT|CERT_)|SELF_SIGNED|_CERT|_ISSUER/.test(code)

/** Why a request got no answer. */
const reasonOf = (cause: unknown): string => {
  if (cause instanceof CommandFailure) return cause.message
  if (hasCode(cause, 'UND_ERR_CONNECT_TIMEOUT') || (cause instanceof Error && cause.name === 'TimeoutError'))
    return 'it took too long.'
  const inner = cause instanceof Error ? cause.cause : undefined
  if (!(inner instanceof Error)) return 'is the server running?'
  const code = 'code' in inner ? String(inner.code) : ''
  if (isCertificateCode(code))
    return `its certificate is not trusted (${inner.message}). NODE_EXTRA_CA_CERTS names a file with certificates to trust.`
  if (code.startsWith('ERR_SSL_')) return 'it does not speak HTTPS there.'
  return 'is the server running?'
}

/** A client of the server at an address, which may have a path. `own` reads headers of all requests, such as a key. */
export const createClient = (
  origin: string,
  stopped: AbortSignal,
  own: () => Promise<Readonly<Record<string, string>>> = async () => ({}),
): Client => {
  const base = new URL(origin).href.replace(/[?#].*$/, '').replace(/\/+$/, '')
  const send = async (
    path: string,
    {
      method = 'GET',
      query = {},
      body,
      headers = {},
      signal = AbortSignal.timeout(timeoutMilliseconds),
    }: SendOptions = {},
  ): Promise<Response> => {
    const url = new URL(`${base}${path}`)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const ownHeaders = await own()
    let response: Response
    try {
      response = await fetch(url, {
        method,
        // Followed, it would lose the key and the body.
        redirect: 'manual',
        signal: AbortSignal.any([stopped, signal]),
        headers: { ...ownHeaders, ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    } catch (cause) {
      stopped.throwIfAborted()
      throw new CommandFailure(`No answer from ${origin}: ${reasonOf(cause)}`, 1, { cause })
    }
    const location = response.headers.get('location')
    if (response.status < 300 || response.status > 399 || location === null) return response
    await response.body?.cancel()
    const target = URL.canParse(location, url) ? new URL(location, url).href.split('?')[0] : location
    const server = target?.endsWith(path) ? target.slice(0, -path.length) : undefined
    throw new CommandFailure(
      server === undefined
        ? `${origin} refers to ${target}, which is not Trellis: a proxy may demand a sign-in.`
        : `${origin} refers to ${server}: name that as the server.`,
    )
  }
  const answerOf = async <Answer>(response: Response): Promise<Answer> => {
    if (!response.ok) throw await failureOf(response)
    let text: string
    try {
      text = await response.text()
    } catch (cause) {
      stopped.throwIfAborted()
      throw new CommandFailure(`The answer of ${origin} was cut off.`, 1, { cause })
    }
    try {
      return (text === '' ? {} : JSON.parse(text)) as Answer
    } catch {
      const heading = headingOf(text)
      throw new CommandFailure(
        `What answers at ${origin} is not Trellis${heading === undefined ? '' : `, but "${heading}"`}.`,
      )
    }
  }
  return { origin, send, answerOf, call: async (path, options = {}) => answerOf(await send(path, options)) }
}
