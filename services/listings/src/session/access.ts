import { serviceError } from '@trellis/kit/errors'
import type { Caller } from '@trellis/kit/rpc'

/** A caller with a store of their own, who may write. Visitors without a session share a user id. Throws 403. */
export const requireSession = (caller: Caller, purpose: string): string => {
  if (caller.kind === 'anonymous')
    throw serviceError(
      'forbidden',
      `Open a session to ${purpose}: GET /listings/api/session sets the cookie of a guest; send it along.`,
    )
  return caller.userId
}
