import { EgressRefused } from '@trellis/kit/egress'
import { parsedJson } from '../../parsed-json.ts'
import { type FilterAccess, FilterFailure } from './dns-filter.ts'

/** A filter in a home answers at once or not at all. */
export const askMilliseconds = 10_000
/** A list of rules may be long. */
const maxBytes = 16 * 1024 * 1024
const maxWords = 300

export type Question = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** From the filter's address on. */
  path: string
  headers?: Record<string, string>
  json?: unknown
  signal: AbortSignal
  /** What must not be in the text of a failure beside the key. */
  secrets?: readonly string[]
}

/** `json` is undefined where the body is none. */
export type FilterAnswer = { status: number; text: string; json: unknown }

/** A value inside of JSON, or undefined. */
export const at = (value: unknown, ...keys: string[]): unknown =>
  keys.reduce<unknown>(
    (found, key) => (typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined),
    value,
  )

/** Text without secrets, as they are or as they stand in addresses. */
export const redacted = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .reduce((clean, secret) => clean.replaceAll(secret, '***'), text)

/** What a filter says of a failure, short and in one line; pages are not quoted. */
export const wordsOf = ({ status, text, json }: FilterAnswer): string => {
  const message = at(json, 'error', 'message') ?? at(json, 'message')
  const hint = at(json, 'error', 'hint')
  const words = typeof message === 'string' ? message : /<html|<!doctype/i.test(text) ? 'a web page' : text
  const line = [words, typeof hint === 'string' ? hint : ''].join(' ').replace(/\s+/g, ' ').trim()
  return line === '' ? `status ${status}` : `${line.slice(0, maxWords)} (status ${status})`
}

const readText = async (body: AsyncIterable<Uint8Array> | null): Promise<string> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new FilterFailure(`The DNS filter answers with more than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The innermost reason: "fetch failed" says nothing. */
const reasonOf = (error: unknown): string => {
  if (error instanceof Error && error.cause instanceof Error) return reasonOf(error.cause)
  const text = error instanceof Error ? error.message || error.name : String(error)
  return /SELF_SIGNED|UNABLE_TO_VERIFY|self-signed/i.test(
    `${error instanceof Error ? Reflect.get(error, 'code') : ''} ${text}`,
  )
    ? `${text}; its certificate is of no public authority: set dns_filter_certificate to its fingerprint, or to "any"`
    : text
}

/** Asks a filter. Throws FilterFailure where no answer comes; whatever answers is for the caller to judge. */
export const ask = async (
  { url, key, certificate, upstream }: FilterAccess,
  { method = 'GET', path, headers = {}, json, signal, secrets = [] }: Question,
): Promise<FilterAnswer> => {
  const late = AbortSignal.timeout(askMilliseconds)
  try {
    const response = await upstream.fetch(`${url}${path}`, {
      method,
      headers: {
        accept: 'application/json',
        ...headers,
        ...(json !== undefined && { 'content-type': 'application/json' }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      signal: AbortSignal.any([signal, late]),
      certificate,
    })
    const text = await readText(response.body)
    return { status: response.status, text: redacted(text, [key, ...secrets]), json: parsedJson(text) }
  } catch (error) {
    if (error instanceof FilterFailure) throw error
    signal.throwIfAborted()
    if (late.aborted) throw new FilterFailure(`The DNS filter did not answer within ${askMilliseconds / 1000} s.`)
    const why =
      error instanceof EgressRefused ? `may not be asked: ${error.message}` : `cannot be reached: ${reasonOf(error)}`
    throw new FilterFailure(redacted(`The DNS filter ${why}`, [key, ...secrets]), { cause: error })
  }
}
