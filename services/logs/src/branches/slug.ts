const maxCharacters = 40

/** The value of the branch filter for entries without a branch. */
export const noBranch = 'none'

/** A slug for a label: its letters without diacritics in lower case, and a dash for all else between them; undefined for an empty result. */
export const slugOf = (label: string): string | undefined => {
  const slug = label
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, maxCharacters)
    .replace(/-$/, '')
  return slug === '' ? undefined : slug
}
