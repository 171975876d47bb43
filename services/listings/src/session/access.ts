import { serviceError } from '@trellis/kit/errors'
import type { Caller } from '@trellis/kit/rpc'
import { type Features, featuresOf } from './features.ts'

/** Requires a session and returns its user id: visitors without one share a user id and may not write. Throws 403. */
export const requireSession = (caller: Caller, purpose: string): string => {
  if (caller.kind === 'anonymous')
    throw serviceError(
      'forbidden',
      `Open a session to ${purpose}: GET /listings/api/session sets the cookie of a guest; send it with each request.`,
    )
  return caller.userId
}

/** Requires an account, or the user of a local installation, and returns the user id. Throws 403 for guests and visitors. */
export const requireSignedIn = (caller: Caller, purpose: string): string => {
  if (caller.kind === 'anonymous' || caller.kind === 'guest')
    throw serviceError('forbidden', `Sign in to ${purpose}: guests may not.`)
  return caller.userId
}

/** Whether rows are stored for this caller. Visitors without a session have none, so their lists are empty. */
export const hasStore = (caller: Caller): boolean => caller.kind !== 'anonymous'

/** Features that a tier has or lacks. */
type Flag = { [Name in keyof Features]: Features[Name] extends boolean ? Name : never }[keyof Features]

/** Requires a feature of the caller's tier; `what` is the subject of the sentence. Throws 402, or 403 if specified so. */
export const requireFeature = (
  { tier }: Caller,
  feature: Flag,
  what: string,
  kind: 'payment_required' | 'forbidden' = 'payment_required',
): void => {
  if (!featuresOf(tier)[feature])
    throw serviceError(kind, `${what} needs the paid tier or a higher one; yours is ${tier}.`)
}
