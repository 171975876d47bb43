import type { IncomingMessage } from 'node:http'
import type { Session } from '@trellis/kit/credentials'
import { isServiceError, serviceError } from '@trellis/kit/errors'
import type { CredentialCheck } from '../identity/keys.ts'
import type { ClientAddress } from './client-address.ts'
import { tooMany } from './front.ts'
import type { RateLimiter } from './rate-limiter.ts'

export type CredentialGuardOptions = { failures: RateLimiter; clientAddress: ClientAddress }

const maxAccepted = 1_000

/**
 * Limits guesses of keys and sessions: an address with too many failures gets 429 before its next credential is compared.
 * Credentials that were valid before are still compared, so that an attacker does not lock out others with the same address.
 * `presented` returns exactly the compared credential; requests without one are not counted.
 */
export const createCredentialGuard = ({ failures, clientAddress }: CredentialGuardOptions) => {
  // Ordered by last success, oldest first.
  const accepted = new Set<string>()
  const begin = (request: IncomingMessage, presented: string | undefined): void => {
    if (presented === undefined || failures.size() === 0 || accepted.has(presented)) return
    const refusal = failures.check(clientAddress(request))
    if (refusal) throw tooMany('wrong credentials', 'RATE_LIMIT_FAILED_CREDENTIALS', refusal)
  }
  const succeeded = (presented: string | undefined): void => {
    if (presented === undefined) return
    accepted.delete(presented)
    accepted.add(presented)
    const [oldest] = accepted
    if (accepted.size > maxAccepted && oldest !== undefined) accepted.delete(oldest)
  }
  const failed = (request: IncomingMessage, presented: string | undefined, error: unknown): void => {
    if (presented === undefined || !isServiceError(error, 'unauthenticated')) return
    accepted.delete(presented)
    failures.take(clientAddress(request))
  }
  return {
    /** Verifies synchronously, and returns the session that sufficed, or rethrows the failure. */
    verify: (request: IncomingMessage, { presented, verify }: CredentialCheck): Session | undefined => {
      const credential = presented(request.headers)
      begin(request, credential)
      try {
        const session = verify(request.headers)
        succeeded(credential)
        return session
      } catch (error) {
        failed(request, credential, error)
        throw error
      }
    },
    /** The same for asynchronous checks; `isRefused` recognizes a rejection that is returned instead of thrown. */
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
        else failed(request, credential, serviceError('unauthenticated', 'The credential was rejected.'))
        return value
      } catch (error) {
        failed(request, credential, error)
        throw error
      }
    },
  }
}

export type CredentialGuard = ReturnType<typeof createCredentialGuard>
