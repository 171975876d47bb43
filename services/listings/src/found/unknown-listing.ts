import { type ServiceError, serviceError } from '@trellis/kit/errors'
import type { Caller } from '@trellis/kit/rpc'

/** The 404 for a listing that no search of the caller has stored. */
export const unknownListing = (platformListingId: string, { kind }: Pick<Caller, 'kind'>): ServiceError =>
  serviceError(
    'not_found',
    kind === 'anonymous'
      ? 'Listings that a visitor without a session finds are not stored: open a session with GET /listings/api/session.'
      : `None of your searches has found the listing "${platformListingId}" so far.`,
  )
