/** The title of a listing, or words in its place: sellers can leave it empty, and a link must have a name. */
export const titleOf = (listing: { title: string } | null | undefined): string =>
  listing?.title.trim() || 'Untitled listing'
