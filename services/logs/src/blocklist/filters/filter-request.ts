import { EgressRefused, readUpTo } from '@trellis/kit/egress'
import { parsedJson } from '../../parsed-json.ts'
import { type FilterAccess, FilterFailure } from './dns-filter.ts'

/** Filters run on the local network and respond quickly. */
export const timeoutMilliseconds = 10_000
/** Lists of rules may be long. */
const maxBytes = 16 * 1024 * 1024
const maxMessageCharacters = 300

export type FilterRequest = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Relative to the filter's address. */
  path: string
  headers?: Record<string, string>
  json?: unknown
  signal: AbortSignal
  /** Values to redact from failure messages, in addition to the key. */
  secrets?: readonly string[]
}

/** `json` is undefined if the body is not JSON. */
export type FilterResponse = { status: number; text: string; json: unknown }

/** The value at a path of keys in parsed JSON, or undefined. */
export const at = (value: unknown, ...keys: string[]): unknown =>
  keys.reduce<unknown>(
    (found, key) => (typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined),
    value,
  )

/** Text with secrets masked, both verbatim and URI-encoded. */
export const redacted = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .reduce((clean, secret) => clean.replaceAll(secret, '***'), text)

/** The error message in a filter's response, shortened to one line. HTML pages are not quoted. */
export const messageOf = ({ status, text, json }: FilterResponse): string => {
  const found = at(json, 'error', 'message') ?? at(json, 'message')
  const hint = at(json, 'error', 'hint')
  const message = typeof found === 'string' ? found : /<html|<!doctype/i.test(text) ? 'a web page' : text
  const line = [message, typeof hint === 'string' ? hint : ''].join(' ').replace(/\s+/g, ' ').trim()
  return line === '' ? `status ${status}` : `${line.slice(0, maxMessageCharacters)} (status ${status})`
}

const readText = async (body: AsyncIterable<Uint8Array> | null): Promise<string> => {
  const { bytes, isWhole } = await readUpTo(body, maxBytes)
  if (!isWhole) throw new FilterFailure(`The response of the DNS filter exceeds ${maxBytes} bytes.`)
  return bytes.toString('utf8')
}

/** The message of the innermost cause: "fetch failed" alone explains nothing. */
const reasonOf = (error: unknown): string => {
  if (error instanceof Error && error.cause instanceof Error) return reasonOf(error.cause)
  const text = error instanceof Error ? error.message || error.name : String(error)
  return /SELF_SIGNED|UNABLE_TO_VERIFY|self-signed/i.test(
    `${error instanceof Error ? Reflect.get(error, 'code') : ''} ${text}`,
  )
    ? `${text}; no public authority signed its certificate: set dns_filter_certificate to its fingerprint, or to "any"`
    : text
}

/** Sends a request to a filter. Throws FilterFailure if no response arrives; callers check the status. */
export const sendRequest = async (
  { url, key, certificate, upstream }: FilterAccess,
  { method = 'GET', path, headers = {}, json, signal, secrets = [] }: FilterRequest,
): Promise<FilterResponse> => {
  const timeout = AbortSignal.timeout(timeoutMilliseconds)
  try {
    const response = await upstream.fetch(`${url}${path}`, {
      method,
      headers: {
        accept: 'application/json',
        ...headers,
        ...(json !== undefined && { 'content-type': 'application/json' }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      signal: AbortSignal.any([signal, timeout]),
      certificate,
    })
    const text = await readText(response.body)
    return { status: response.status, text: redacted(text, [key, ...secrets]), json: parsedJson(text) }
  } catch (error) {
    if (error instanceof FilterFailure) throw error
    signal.throwIfAborted()
    if (timeout.aborted)
      throw new FilterFailure(`The DNS filter did not respond within ${timeoutMilliseconds / 1000} s.`)
    const reason =
      error instanceof EgressRefused
        ? `must not be contacted: ${error.message}`
        : `cannot be reached: ${reasonOf(error)}`
    throw new FilterFailure(redacted(`The DNS filter ${reason}`, [key, ...secrets]), { cause: error })
  }
}
