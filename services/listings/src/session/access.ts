import { serviceError } from '@trellis/kit/errors'
import type { Caller } from '@trellis/kit/rpc'

/** Requires a session and returns its user id: visitors without one share a user id and may not write. Throws 403. */
export const requireSession = (caller: Caller, purpose: string): string => {
  if (caller.kind === 'anonymous')
    throw serviceError(
      'forbidden',
      `Open a session to ${purpose}: GET /listings/api/session sets the cookie of a guest; send it with each request.`,
    )
  return caller.userId
}
