import { withBase } from '../../url/facts.ts'

/** The address of a listing's photo here: the server fetches it, so that the marketplace does not see the reader. */
export const photoUrl = (listing: string, index = 0): string =>
  withBase(`/listings/api/photos/${encodeURIComponent(listing)}/${index}`)
