import type { ListingRest } from '@trellis/protos/edge/client.ts'
import { caller } from '../../api/session.svelte.ts'

/** Why nothing can be done with the seller of a listing. */
export const unknownSeller = ({ seller_platform_id: seller }: Pick<ListingRest, 'seller_platform_id'>) =>
  seller === '' ? 'The seller is unknown.' : undefined

/** Why the caller cannot block any seller. */
export const guestCannotBlock = (): string | undefined =>
  caller.isGuest ? 'Sign in to block sellers: guests may not.' : undefined
