import type { IncomingMessage } from 'node:http'
import { isServiceError, serviceError } from '@trellis/kit/errors'
import type { CredentialCheck } from '../identity/keys.ts'
import type { ClientAddress } from './client-address.ts'
import { tooMany } from './front.ts'
import type { RateLimiter } from './rate-limiter.ts'

export type CredentialGuardOptions = { failures: RateLimiter; clientAddress: ClientAddress }

const maxAccepted = 1_000

/**
 * Limits guesses at keys and sessions: an address with too many wrong ones is answered 429 before the next is compared.
 * Credentials that were right before are still compared, so that a guesser does not lock out those who share its address.
 * `given` is what is compared, and nothing else that a request carries; requests that give nothing guess nothing and are not counted.
 */
export const createCredentialGuard = ({ failures, clientAddress }: CredentialGuardOptions) => {
  // The one that was right longest ago comes first.
  const accepted = new Set<string>()
  const begin = (request: IncomingMessage, given: string | undefined): void => {
    if (given === undefined || failures.size() === 0 || accepted.has(given)) return
    const refusal = failures.check(clientAddress(request))
    if (refusal) throw tooMany('wrong credentials', 'RATE_LIMIT_FAILED_CREDENTIALS', refusal)
  }
  const succeeded = (given: string | undefined): void => {
    if (given === undefined) return
    accepted.delete(given)
    accepted.add(given)
    const [oldest] = accepted
    if (accepted.size > maxAccepted && oldest !== undefined) accepted.delete(oldest)
  }
  const failed = (request: IncomingMessage, given: string | undefined, error: unknown): void => {
    if (given === undefined || !isServiceError(error, 'unauthenticated')) return
    accepted.delete(given)
    failures.take(clientAddress(request))
  }
  return {
    /** Verifies at once, and passes the failure on. */
    verify: (request: IncomingMessage, { given, verify }: CredentialCheck): void => {
      const credential = given(request.headers)
      begin(request, credential)
      try {
        verify(request.headers)
      } catch (error) {
        failed(request, credential, error)
        throw error
      }
      succeeded(credential)
    },
    /** The same for what takes time; `isRefused` recognizes a refusal that is answered rather than thrown. */
    verifyAsync: async <Value>(
      request: IncomingMessage,
      credential: string | undefined,
      verify: () => Promise<Value>,
      isRefused: (value: Value) => boolean = () => false,
    ): Promise<Value> => {
      begin(request, credential)
      try {
        const value = await verify()
        if (!isRefused(value)) succeeded(credential)
        else failed(request, credential, serviceError('unauthenticated', 'The credential was refused.'))
        return value
      } catch (error) {
        failed(request, credential, error)
        throw error
      }
    },
  }
}

export type CredentialGuard = ReturnType<typeof createCredentialGuard>
