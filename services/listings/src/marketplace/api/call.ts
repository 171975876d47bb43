import { createEgress, EgressRefused, type EgressResponse, readUpTo } from '@trellis/kit/egress'
import { parseRetryAfter } from '@trellis/kit/retry'
import { isMarketplaceFailure, marketplaceFailure } from '../failures.ts'

export type ApiRequest = {
  readonly method?: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** Calls the API and returns its JSON object. Throws a marketplace failure for any other response. */
export type ApiCall = (address: string, request: ApiRequest) => Promise<Readonly<Record<string, unknown>>>

const mebibyte = 1024 * 1024

/** U+0000 and halves of surrogate pairs, which JSON can contain and databases refuse, become U+FFFD. */
const storable = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value

const readJson = async (response: EgressResponse, maxBytes: number): Promise<Readonly<Record<string, unknown>>> => {
  const { bytes, isWhole } = await readUpTo(response.body, maxBytes)
  if (!isWhole) throw marketplaceFailure('failed', `its API sent more than ${maxBytes / mebibyte} MiB`)
  const parsed: unknown = JSON.parse(bytes.toString(), storable)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw marketplaceFailure('failed', 'its API sent something other than a JSON object')
  return parsed as Readonly<Record<string, unknown>>
}

/** When to call again after a 429 that does not name a time, in seconds. */
const defaultRetrySeconds = 60
const longestError = 16 * 1024
const longestWords = 300

const stringIn = (value: unknown, names: readonly string[]): string | undefined => {
  const found = names.map((name) => (value as Readonly<Record<string, unknown>> | null | undefined)?.[name])
  return found.find((text): text is string => typeof text === 'string' && text.trim() !== '')
}

/** The API's own words for an error, as the end of a sentence; empty if it sent none that can be read. */
const readWords = async (response: EgressResponse): Promise<string> => {
  try {
    const { bytes } = await readUpTo(response.body, longestError)
    const parsed = JSON.parse(bytes.toString()) as { errors?: unknown[] } | null
    const words = stringIn(parsed?.errors?.[0], ['longMessage', 'message']) ?? stringIn(parsed, ['error_description'])
    const plain = words
      ?.replace(/[\s\p{Cc}]+/gu, ' ')
      .trim()
      .slice(0, longestWords)
      .replace(/[\s.]+$/, '')
    return plain ? `: "${plain}"` : ''
  } catch {
    return ''
  }
}

/** The status that the API answered with, if an error has one. */
export const apiStatusOf = (error: unknown): number | undefined =>
  error instanceof Error && 'apiStatus' in error && typeof error.apiStatus === 'number' ? error.apiStatus : undefined

/** Creates the call, with its own timeout. Redirects to another host are not followed, since they could leak credentials. */
export const createApiCall = ({
  timeoutMilliseconds = 15_000,
  maxBytes = 16 * mebibyte,
  userAgent,
}: {
  readonly timeoutMilliseconds?: number
  readonly maxBytes?: number
  readonly userAgent: string
}): ApiCall => {
  // The configured server may be on a private network.
  const egress = createEgress({ blockPrivate: false, maxResponseBytes: 2 * maxBytes })
  return async (address, { method = 'GET', headers, body, signal }) => {
    const deadline = AbortSignal.timeout(timeoutMilliseconds)
    try {
      const response = await egress.fetch(address, {
        method,
        headers: { accept: 'application/json', 'user-agent': userAgent, ...headers },
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.any([signal, deadline]),
      })
      if (response.ok) return await readJson(response, maxBytes)
      const words = await readWords(response)
      const retryAfterSeconds =
        parseRetryAfter(response.headers.get('retry-after'), Date.now()) ??
        (response.status === 429 ? defaultRetrySeconds : undefined)
      const refused = [401, 403, 404, 429].includes(response.status)
      throw Object.assign(
        marketplaceFailure(refused ? 'refused' : 'failed', `its API answered with status ${response.status}${words}`, {
          retryAfterSeconds,
        }),
        {
          apiStatus: response.status,
        },
      )
    } catch (error) {
      signal.throwIfAborted()
      if (isMarketplaceFailure(error)) throw error
      if (deadline.aborted)
        throw marketplaceFailure('timedOut', `its API sent nothing within ${timeoutMilliseconds / 1000} s`, {
          cause: error,
        })
      if (error instanceof EgressRefused)
        throw marketplaceFailure('failed', 'the address of its API is not allowed', { cause: error })
      throw marketplaceFailure('failed', 'its API is unreachable or sent no JSON', { cause: error })
    }
  }
}
