import type { IncomingMessage } from 'node:http'
import { isFailure } from '@trellis/kit/errors'
import type { ClientAddress } from './client-address.ts'
import { tooMany } from './front.ts'
import type { RateLimiter } from './rate-limiter.ts'

export type CredentialGuardOptions = { failures: RateLimiter; clientAddress: ClientAddress }

const maxAccepted = 1_000

const credentialOf = ({ headers }: IncomingMessage): string | undefined => {
  const given = headers['x-admin-key'] ?? headers.authorization ?? headers['x-gateway-session'] ?? headers.cookie
  return given === undefined ? undefined : String(given)
}

/**
 * Limits guesses at keys and sessions: an address with too many wrong ones is answered 429 before the next is compared.
 * Credentials that were right before are still compared, so that a guesser does not lock out those who share its address.
 * Requests without credentials guess nothing and are not counted.
 */
export const createCredentialGuard = ({ failures, clientAddress }: CredentialGuardOptions) => {
  const accepted = new Set<string>()
  const begin = (request: IncomingMessage): string | undefined => {
    const credential = credentialOf(request)
    if (credential === undefined || failures.size() === 0 || accepted.has(credential)) return credential
    const refusal = failures.check(clientAddress(request))
    if (refusal) throw tooMany('wrong credentials', 'RATE_LIMIT_FAILED_CREDENTIALS', refusal)
    return credential
  }
  const succeeded = (credential: string | undefined): void => {
    if (credential === undefined || accepted.has(credential)) return
    if (accepted.size >= maxAccepted) accepted.clear()
    accepted.add(credential)
  }
  const failed = (request: IncomingMessage, credential: string | undefined, error: unknown): void => {
    if (credential !== undefined && isFailure(error, 'unauthenticated')) failures.take(clientAddress(request))
  }
  return {
    /** Verifies at once, and passes the failure on. */
    verify: (request: IncomingMessage, verify: () => void): void => {
      const credential = begin(request)
      try {
        verify()
      } catch (error) {
        failed(request, credential, error)
        throw error
      }
      succeeded(credential)
    },
    /** The same for what takes time; `isRefused` recognizes a refusal that is answered rather than thrown. */
    verifyAsync: async <Value>(
      request: IncomingMessage,
      verify: () => Promise<Value>,
      isRefused: (value: Value) => boolean = () => false,
    ): Promise<Value> => {
      const credential = begin(request)
      try {
        const value = await verify()
        if (!isRefused(value)) succeeded(credential)
        else if (credential !== undefined) failures.take(clientAddress(request))
        return value
      } catch (error) {
        failed(request, credential, error)
        throw error
      }
    },
  }
}

export type CredentialGuard = ReturnType<typeof createCredentialGuard>
