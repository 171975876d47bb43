import { createEgress, EgressRefused, type EgressResponse } from '@trellis/kit/egress'
import { isMarketplaceFailure, marketplaceFailure } from '../failures.ts'
import { readRetryAfter } from '../scraper/http-get.ts'

export type ApiRequest = {
  readonly method?: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** Calls the API and returns its JSON object. Throws a marketplace failure for any other response. */
export type ApiCall = (address: string, request: ApiRequest) => Promise<Readonly<Record<string, unknown>>>

const maxBytes = 16 * 1024 * 1024

const readJson = async (response: EgressResponse): Promise<Readonly<Record<string, unknown>>> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes) throw marketplaceFailure('failed', 'its API sent more than 16 MiB')
    chunks.push(chunk)
  }
  const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString())
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw marketplaceFailure('failed', 'its API sent something other than a JSON object')
  return parsed as Readonly<Record<string, unknown>>
}

/** Creates the call, with its own timeout. Redirects to another host are not followed, since they could leak credentials. */
export const createApiCall = ({
  timeoutMilliseconds = 15_000,
  userAgent,
}: {
  readonly timeoutMilliseconds?: number
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
      if (response.ok) return await readJson(response)
      await response.body?.cancel()
      const retryAfterSeconds = readRetryAfter(response.headers.get('retry-after'), new Date())
      const refused = [401, 403, 404, 429].includes(response.status)
      throw Object.assign(
        marketplaceFailure(refused ? 'refused' : 'failed', `its API answered with status ${response.status}`, {
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
